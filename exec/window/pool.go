package window

import (
	"errors"

	"gsql/exec/spill"
	"gsql/internal/mem"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

const (
	// poolPages is the number of pages that should fit in a pool.
	poolPages = 32
	// leastPageRows is the least number of rows, or elements of a list, in a page.
	leastPageRows = 16
)

// pool holds the most recently used pages of files in memory. It is for one goroutine.
type pool struct {
	account *mem.Account
	most    int64 // the most bytes it should hold
	held    int64
	slots   map[pageKey]*slot
	clock   int64
}

// pageKey identifies a page by its file and its place there.
type pageKey struct {
	file *spill.File
	at   int64
}

// slot is a page in memory.
type slot struct {
	key    pageKey
	from   *spill.Reader
	batch  *vec.Batch
	bytes  int64
	used   int64 // the pool's clock at the last use
	pinned bool  // it must not be dropped
}

// newPool makes a pool of half of the free memory.
func newPool(account *mem.Account) *pool {
	return &pool{account: account, most: account.Left() / 2, slots: map[pageKey]*slot{}}
}

// pageBytes returns the size that a page should have.
func (p *pool) pageBytes() int64 { return p.most / poolPages }

// find returns a page, which it loads if it is not in memory. It stays there while it is pinned,
// otherwise until other pages are requested.
func (p *pool) find(key pageKey, b spill.Block) (*slot, error) {
	s := p.slots[key]
	if s == nil {
		var err error
		if s, err = p.load(key, b); err != nil {
			return nil, err
		}
	}
	p.touch(s)
	return s, nil
}

// touch makes s the most recently used page.
func (p *pool) touch(s *slot) {
	p.clock++
	s.used = p.clock
}

func (p *pool) load(key pageKey, b spill.Block) (*slot, error) {
	s, err := p.room(key.file, 2*b.Bytes()) // texts in columns also have headers
	if err != nil {
		return nil, err
	}
	if s.batch, err = s.from.Read(b); err != nil {
		p.release(s)
		return nil, err
	}
	s.key = key
	p.slots[key] = s
	return s, nil
}

// room returns a slot for a page of a file. It drops the least recently used pages if necessary.
func (p *pool) room(f *spill.File, bytes int64) (*slot, error) {
	s := &slot{}
	for p.held+bytes > p.most && p.held > 0 {
		old := p.oldest()
		if old == nil {
			break
		}
		p.drop(old)
		if old.key.file == f {
			s.from = old.from
		}
	}
	if err := p.reserve(bytes); err != nil {
		return nil, err
	}
	p.held += bytes
	s.bytes = bytes
	if s.from == nil {
		s.from = f.NewReader(nil) // the pool accounts for its pages
	}
	return s, nil
}

// reserve reserves bytes in the account. It drops the least recently used pages if memory is
// refused.
func (p *pool) reserve(bytes int64) error {
	for {
		err := p.account.Reserve(bytes)
		if !errors.Is(err, sqlerr.OutOfMemory) {
			return err
		}
		old := p.oldest()
		if old == nil {
			return err
		}
		p.drop(old)
	}
}

// oldest returns the least recently used page that is not pinned, or nil.
func (p *pool) oldest() *slot {
	var out *slot
	for _, s := range p.slots {
		if !s.pinned && (out == nil || s.used < out.used) {
			out = s
		}
	}
	return out
}

func (p *pool) drop(s *slot) {
	delete(p.slots, s.key)
	p.release(s)
	s.batch = nil
}

func (p *pool) release(s *slot) {
	p.account.Release(s.bytes)
	p.held -= s.bytes
}

// forget drops the pages of a file.
func (p *pool) forget(f *spill.File) {
	for key, s := range p.slots {
		if key.file == f {
			p.drop(s)
		}
	}
}

// free drops all pages.
func (p *pool) free() {
	for _, s := range p.slots {
		p.drop(s)
	}
}
