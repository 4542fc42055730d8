package window

import (
	"strings"
	"unsafe"

	"gsql/exec/spill"
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// states is a list of states of type S, in pages on disk except for the last ones.
type states[S any] struct {
	account *mem.Account
	pool    *pool
	space   *spill.Space
	n       int
	last    []S // the page that is not full
	perPage int
	held    int64
	file    *spill.File // nil while there is no full page
	pages   []spill.Block
	near    recent
	texts   []S // the result of get, if states are texts
}

func newStates[S any](p *pool, space *spill.Space) *states[S] {
	var s S
	n := min(max(p.pageBytes()/2/int64(unsafe.Sizeof(s)), leastPageRows), vec.BatchSize)
	return &states[S]{account: p.account, pool: p, space: space, perPage: int(n)}
}

// append adds a state.
func (l *states[S]) append(s S) error {
	if len(l.last) == l.perPage {
		if err := l.write(); err != nil {
			return err
		}
	}
	bytes := textBytes(&s)
	if len(l.last) == cap(l.last) { // its capacity is about to double
		bytes += int64(unsafe.Sizeof(s)) * int64(max(len(l.last), 4))
	}
	if err := l.reserve(bytes); err != nil {
		return err
	}
	keepText(&s)
	l.last = append(l.last, s)
	l.n++
	return nil
}

func (l *states[S]) reserve(bytes int64) error {
	err := l.pool.reserve(bytes)
	if err == nil {
		l.held += bytes
	}
	return err
}

// write writes the full page to disk.
func (l *states[S]) write() (err error) {
	v := pack(l.last)
	if l.file == nil {
		if l.file, err = l.space.Create([]types.Type{v.Type}); err != nil {
			return err
		}
	}
	if err := l.reserve(pageEntry); err != nil {
		return err
	}
	block, err := l.file.Write(&vec.Batch{Cols: []*vec.Vector{v}, N: v.N})
	if err != nil {
		return err
	}
	l.pages = append(l.pages, block)
	text := int64(0)
	for i := range l.last {
		text += textBytes(&l.last[i])
	}
	l.account.Release(text)
	l.held -= text
	clear(l.last)
	l.last = l.last[:0]
	return nil
}

// get returns states from number i on, at most n, valid until the next call of any list.
func (l *states[S]) get(i, n int) ([]S, error) {
	page, from := i/l.perPage, i%l.perPage
	n = min(n, l.perPage-from)
	if page == len(l.pages) {
		return l.last[from : from+n], nil
	}
	s, err := l.pool.get(l.file, l.pages[page], page, &l.near)
	if err != nil {
		return nil, err
	}
	v := s.batch.Cols[0]
	if v.Type.Kind() == types.KindStr {
		l.texts = l.texts[:0]
		for k := from; k < from+n; k++ {
			l.texts = append(l.texts, any(best[string]{v.Str[k], !v.IsNull(k)}).(S))
		}
		return l.texts, nil
	}
	return unsafe.Slice((*S)(unsafe.Pointer(unsafe.SliceData(v.I64))), l.perPage)[from : from+n], nil
}

// reset drops all states.
func (l *states[S]) reset() error {
	l.account.Release(l.held)
	l.n, l.held, l.last, l.pages, l.near = 0, 0, nil, nil, recent{}
	if l.file == nil {
		return nil
	}
	l.pool.forget(l.file)
	err := l.file.Close()
	l.file = nil
	return err
}

// pack returns states as a column of texts, or of the words of their memory.
func pack[S any](all []S) *vec.Vector {
	if texts, ok := any(all).([]best[string]); ok {
		v := vec.NewFlat(types.T(types.String), len(all))
		for i, s := range texts {
			if v.Str[i] = s.x; !s.some {
				v.SetNull(i)
			}
		}
		return v
	}
	const word = int(unsafe.Sizeof(int64(0)))
	n := len(all) * int(unsafe.Sizeof(all[0])) / word
	return &vec.Vector{Type: types.T(types.Int64), N: n, I64: unsafe.Slice((*int64)(unsafe.Pointer(&all[0])), n)}
}

// textBytes returns the length of a state's text.
func textBytes[S any](s *S) int64 {
	if t, ok := any(s).(*best[string]); ok {
		return int64(len(t.x))
	}
	return 0
}

// keepText copies the text of a state, which may be part of a page.
func keepText[S any](s *S) {
	if t, ok := any(s).(*best[string]); ok {
		t.x = strings.Clone(t.x)
	}
}
