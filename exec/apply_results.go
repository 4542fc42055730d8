package exec

import (
	"errors"
	"sync"

	"gsql/exec/colstore"
	"gsql/exec/spill"
	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
)

// result is the inner plan's rows for one binding, in memory or on disk.
type result struct {
	key     string
	once    sync.Once
	err     error
	charged int64 // for the key and this
	rows    int
	store   *colstore.Store
	file    *spill.File // nil if the rows are in memory
	blocks  []spill.Block
	users   int  // streams that read it
	kept    bool // for later outer rows
}

// resultCost is the number of bytes charged for a kept binding in addition to its key and rows.
const resultCost = 256

// mostOnDisk is the number of results on disk that are kept, each of which has a file.
const mostOnDisk = 32

// results holds the cached results of an apply, by their keys.
type results struct {
	mu     sync.Mutex
	of     map[string]*result
	onDisk int
}

// result returns the inner plan's rows for a binding. The caller releases them.
func (a *apply) result(key []byte, params []catalog.Datum) (*result, error) {
	a.results.mu.Lock()
	r := a.results.of[string(key)]
	if r == nil {
		r = &result{key: string(key), kept: true}
		a.results.of[r.key] = r
	}
	r.users++
	a.results.mu.Unlock()
	r.once.Do(func() { r.err = a.compute(r, params) })
	if r.err != nil {
		return nil, errors.Join(r.err, a.release(r))
	}
	return r, nil
}

// compute runs the inner plan for r.
func (a *apply) compute(r *result, params []catalog.Datum) error {
	n := int64(len(r.key)) + resultCost
	if err := a.reserve(n); err == nil {
		r.charged = n
	} else if a.ctx.Spill == nil {
		return err
	}
	if err := a.run(r, params); err != nil {
		return err
	}
	if a.account.Used() > a.account.Left() {
		a.makeRoom()
	}
	a.results.mu.Lock()
	defer a.results.mu.Unlock()
	if r.file != nil {
		a.results.onDisk++
	}
	if r.charged == 0 || r.file != nil && a.results.onDisk > mostOnDisk {
		a.results.forget(r)
	}
	return nil
}

// reserve reserves n bytes and drops cached results if necessary.
func (a *apply) reserve(n int64) error {
	err := a.account.Reserve(n)
	if errors.Is(err, sqlerr.OutOfMemory) && a.makeRoom() {
		err = a.account.Reserve(n)
	}
	return err
}

// makeRoom drops the results in memory that no stream reads, and reports whether there were any.
// They are recomputed if they are needed again.
func (a *apply) makeRoom() bool {
	a.results.mu.Lock()
	defer a.results.mu.Unlock()
	found := false
	for _, r := range a.results.of {
		if r.users == 0 && r.file == nil {
			found = true
			a.results.forget(r)
			r.freeMemory(a.account)
		}
	}
	return found
}

// forget makes r unknown to later outer rows.
func (s *results) forget(r *result) {
	if r.kept {
		r.kept = false
		delete(s.of, r.key)
	}
}

// release ends the use of r by one stream.
func (a *apply) release(r *result) error {
	a.results.mu.Lock()
	defer a.results.mu.Unlock()
	if r.users--; r.users > 0 || r.kept && r.err == nil {
		return nil
	}
	a.results.forget(r)
	return a.results.free(r, a.account)
}

// close frees all results.
func (s *results) close(account *mem.Account) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.of {
		err = errors.Join(err, s.free(r, account))
	}
	s.of = nil
	return err
}

func (s *results) free(r *result, account *mem.Account) error {
	r.freeMemory(account)
	if r.file == nil {
		return nil
	}
	s.onDisk--
	file := r.file
	r.file = nil
	return file.Close()
}

func (r *result) freeMemory(account *mem.Account) {
	r.store.Free()
	r.store = nil
	account.Release(r.charged)
	r.charged = 0
}

// pieces returns the number of parts in which the rows are read, of at most most rows each.
func (r *result) pieces(most int) int {
	if r.file != nil {
		return len(r.blocks)
	}
	return (r.rows + most - 1) / most
}
