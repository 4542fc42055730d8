package window

import (
	"errors"
	"strings"
	"unsafe"

	"gsql/exec/spill"
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// list is a list of elements of type S, in pages on disk except for the last ones. The places of the
// pages are a list themselves, so that a long list needs hardly more memory than a short one.
type list[S any] struct {
	account *mem.Account
	pool    *pool
	space   *spill.Space
	n       int
	last    []S // the page that is not full
	perPage int
	held    int64
	file    *spill.File        // nil while there is no full page
	pages   *list[spill.Block] // nil if file is
	near    recent
	texts   []S // the result of get, if elements are texts
}

// recent holds the last pages requested, one with an even and one with an odd number, because the
// two ends of frames request pages alternately.
type recent [2]struct {
	number int
	slot   *slot
}

func newList[S any](p *pool, space *spill.Space) *list[S] {
	var s S
	n := min(max(p.pageBytes()/2/int64(unsafe.Sizeof(s)), leastPageRows), vec.BatchSize)
	return &list[S]{account: p.account, pool: p, space: space, perPage: int(n)}
}

// append adds an element.
func (l *list[S]) append(s S) error {
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

func (l *list[S]) reserve(bytes int64) error {
	err := l.pool.reserve(bytes)
	if err == nil {
		l.held += bytes
	}
	return err
}

// write writes the full page to disk.
func (l *list[S]) write() (err error) {
	v := pack(l.last)
	if l.file == nil {
		if l.file, err = l.space.Create([]types.Type{v.Type}); err != nil {
			return err
		}
		l.pages = newList[spill.Block](l.pool, l.space)
	}
	block, err := l.file.Write(&vec.Batch{Cols: []*vec.Vector{v}, N: v.N})
	if err != nil {
		return err
	}
	if err := l.pages.append(block); err != nil {
		return err
	}
	text := int64(0)
	for i := range l.last {
		text += textBytes(&l.last[i])
	}
	l.account.Discard(text)
	l.held -= text
	clear(l.last)
	l.last = l.last[:0]
	return nil
}

// get returns elements from number i on, at most n, valid until the next call of any list.
func (l *list[S]) get(i, n int) ([]S, error) {
	page, from := i/l.perPage, i%l.perPage
	n = min(n, l.perPage-from)
	if l.pages == nil || page == l.pages.n {
		return l.last[from : from+n], nil
	}
	s, err := l.page(page)
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

// page returns a page on disk.
func (l *list[S]) page(number int) (*slot, error) {
	near := &l.near[number%2]
	if near.slot != nil && near.number == number && near.slot.batch != nil {
		l.pool.touch(near.slot)
		return near.slot, nil
	}
	block, err := l.pages.at(number)
	if err != nil {
		return nil, err
	}
	near.number = number
	near.slot, err = l.pool.find(pageKey{l.file, block.Place()}, block)
	return near.slot, err
}

// at returns element i.
func (l *list[S]) at(i int) (s S, err error) {
	some, err := l.get(i, 1)
	if err == nil {
		s = some[0]
	}
	return s, err
}

// reset drops all elements.
func (l *list[S]) reset() error {
	l.account.Discard(l.held)
	l.n, l.held, l.last, l.near = 0, 0, nil, recent{}
	if l.file == nil {
		return nil
	}
	l.pool.forget(l.file)
	err := errors.Join(l.file.Close(), l.pages.reset())
	l.file, l.pages = nil, nil
	return err
}

// pack returns elements as a column of texts, or of the words of their memory.
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

// textBytes returns the length of an element's text.
func textBytes[S any](s *S) int64 {
	if t, ok := any(s).(*best[string]); ok {
		return int64(len(t.x))
	}
	return 0
}

// keepText copies the text of an element, which may be part of a page.
func keepText[S any](s *S) {
	if t, ok := any(s).(*best[string]); ok {
		t.x = strings.Clone(t.x)
	}
}
