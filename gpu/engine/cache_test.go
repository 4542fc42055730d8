//go:build sim || cuda

package engine_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/enginetest"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// cached loads column number i of a table, whose values are v's, and checks the result.
func cached(t *testing.T, task *engine.Task, i int, v *vec.Vector) (hit bool) {
	t.Helper()
	f := column.Format{Kind: column.I64}
	c, hit, err := task.Cached(engine.Key{Table: "t", Version: 7, Column: i, Format: f}, func() (column.Column, error) { return task.Upload(f, v) })
	if err != nil {
		t.Fatal(err)
	}
	checkColumn(t, task, c, v)
	return hit
}

// during runs f within a task of its own.
func during(t *testing.T, e *engine.Engine, f func(task *engine.Task)) {
	t.Helper()
	task, err := e.Begin(context.Background(), "test")
	if err != nil {
		t.Error(err)
		return
	}
	defer func() {
		if err := task.End(); err != nil {
			t.Error(err)
		}
	}()
	f(task)
}

// residents are the ordinals of the cached columns, the least recently used first.
func residents(e *engine.Engine) (columns []int) {
	for _, r := range e.Resident() {
		columns = append(columns, r.Column)
	}
	return columns
}

// columnRows make a column of 80 KB, or 90 KB with NULLs.
const columnRows = 10 << 10

func columns(n int) []*vec.Vector {
	all := make([]*vec.Vector, n)
	for i := range all {
		all[i] = bigint(columnRows, 1<<50, func(row int) bool { return i%2 == 1 && row%9 == 0 })
	}
	return all
}

func TestCacheKeepsTheRecentlyUsed(t *testing.T) {
	e := enginetest.New(t, 800<<10)
	vs := columns(5)
	use := func(i int) (hit bool) {
		during(t, e, func(task *engine.Task) { hit = cached(t, task, i, vs[i]) })
		return hit
	}
	for i := range 3 {
		if use(i) {
			t.Errorf("column %d was there before it was loaded", i)
		}
	}
	if !use(0) || !slices.Equal(residents(e), []int{1, 2, 0}) {
		t.Errorf("columns %v, want 1, 2, 0", residents(e))
	}
	use(3)
	use(4)
	if got := residents(e); slices.Contains(got, 1) || !slices.Contains(got, 4) || !slices.Contains(got, 3) {
		t.Errorf("columns %v, want 3 and 4 and not 1, which was used the longest ago", got)
	}
	limit, tasks, held := e.Memory()
	var sum int64
	for _, r := range e.Resident() {
		sum += (r.Bytes + 255) / 256 * 256
	}
	if tasks != 0 || held != sum || held > limit {
		t.Errorf("%d bytes in tasks, %d in columns of %d together, limit %d", tasks, held, sum, limit)
	}
}

// TestCacheKeys: another version, column or format is another column.
func TestCacheKeys(t *testing.T) {
	e := enginetest.New(t, 1<<20)
	i32, i64 := column.Format{Kind: column.I32}, column.Format{Kind: column.I64}
	key := func(table string, version uint64, ordinal int, f column.Format) engine.Key {
		return engine.Key{Table: table, Version: version, Column: ordinal, Format: f}
	}
	derived := key("t", 1, 0, i64)
	derived.Derived = "f"
	keys := []engine.Key{key("t", 1, 0, i64), key("t", 2, 0, i64), key("t", 1, 1, i64), key("t", 1, 0, i32), key("u", 1, 0, i64), derived}
	for round := range 2 {
		for i, key := range keys {
			if held := e.Holds(key); held != (round == 1) {
				t.Errorf("round %d, %+v: held %v", round, key, held)
			}
			during(t, e, func(task *engine.Task) {
				v := vec.NewFlat(bigint(0, 1, never).Type, 100)
				for row := range v.I64 {
					v.I64[row] = int64(i)
				}
				c, hit, err := task.Cached(key, func() (column.Column, error) { return task.Upload(key.Format, v) })
				if err != nil || hit != (round == 1) {
					t.Errorf("round %d, %+v: hit %v, %v", round, key, hit, err)
				}
				checkColumn(t, task, c, v)
			})
		}
	}
	narrow := engine.Key{Table: "t", Version: 1, Narrow: true}
	for _, other := range []engine.Key{key("t", 3, 0, i64), key("t", 1, 2, i64), key("u", 2, 0, i64), narrow} {
		if e.Holds(other) || !other.Narrow && e.HoldsAny(other.Table, other.Version, other.Column, other.Share) {
			t.Errorf("%+v is held", other)
		}
	}
	if !e.HoldsAny("t", 1, 1, engine.Share{}) || !e.HoldsAny("u", 1, 0, engine.Share{}) || e.HoldsAny("u", 1, 0, engine.Share{0, 2}) {
		t.Error("columns of joins are not held")
	}
}

// TestStackTakesRoomFromTheCache: columns that lie in its way move or go, and those that
// remain are unharmed; columns of the task itself stay.
func TestStackTakesRoomFromTheCache(t *testing.T) {
	const limit = 2000 << 10
	vs := columns(8)
	r := rand.New(rand.NewPCG(1, 0))
	for need := int64(100 << 10); need <= limit; need += 100 << 10 {
		e := enginetest.New(t, limit)
		for i := range vs {
			during(t, e, func(task *engine.Task) { cached(t, task, i, vs[i]) })
		}
		before := len(e.Resident())
		during(t, e, func(task *engine.Task) {
			own := r.IntN(8)
			cached(t, task, own, vs[own])
			free := task.Free()
			if free < limit/2 {
				t.Errorf("%d bytes free, want half of the limit at least", free)
			}
			p, err := task.Alloc(need)
			if (err == nil) != (need <= free) {
				t.Fatalf("%d bytes of %d free: %v", need, free, err)
			}
			if err != nil {
				if !errors.Is(err, sqlerr.OutOfMemory) || len(e.Resident()) != before {
					t.Errorf("error %v, %d columns left of %d", err, len(e.Resident()), before)
				}
			} else if err := task.Fill(p, 0xAB, need); err != nil {
				t.Fatal(err)
			}
			if !cached(t, task, own, vs[own]) {
				t.Error("the task's own column went")
			}
		})
		left := residents(e)
		if room := int64(len(left)) * 92 << 10; room+need < limit-300<<10 && len(left) < before {
			t.Errorf("only %v are left though %d bytes were needed", left, need)
		}
		for _, i := range left {
			during(t, e, func(task *engine.Task) {
				if !cached(t, task, i, vs[i]) {
					t.Errorf("column %d went", i)
				}
			})
		}
	}
}

// TestCacheOutOfMemory: with any limit a column is cached, or only the task's, or 1037.
func TestCacheOutOfMemory(t *testing.T) {
	v := columns(2)[1]
	for limit := int64(60 << 10); limit < 260<<10; limit += 10 << 10 {
		e := enginetest.New(t, limit)
		during(t, e, func(task *engine.Task) {
			f := column.Format{Kind: column.I64}
			c, _, err := task.Cached(engine.Key{Format: f}, func() (column.Column, error) { return task.Upload(f, v) })
			if err == nil {
				checkColumn(t, task, c, v)
			} else if !errors.Is(err, sqlerr.OutOfMemory) || limit > 91<<10 {
				t.Errorf("limit %d: %v", limit, err)
			}
		})
		if cached := len(e.Resident()); cached > 0 != (limit >= 180<<10) {
			t.Errorf("limit %d: %d columns cached", limit, cached)
		}
	}
}

// TestCacheForgetsWhatWasNotLoaded: neither an error of the load nor one of its work on
// the device leaves a column.
func TestCacheForgetsWhatWasNotLoaded(t *testing.T) {
	e := enginetest.New(t, 1<<20)
	own := errors.New("not loaded")
	during(t, e, func(task *engine.Task) {
		if _, _, err := task.Cached(engine.Key{}, func() (column.Column, error) { return column.Column{}, own }); !errors.Is(err, own) {
			t.Errorf("error %v", err)
		}
		_, _, err := task.Cached(engine.Key{}, func() (column.Column, error) {
			c, err := task.Upload(column.Format{Kind: column.I64}, columns(1)[0])
			return c, errors.Join(err, task.LaunchBlocks("gsql_hash_keys", "no such type", 1, 0))
		})
		if err == nil {
			t.Error("no error of work that failed")
		}
	})
	if len(e.Resident()) != 0 {
		t.Errorf("cached: %v", e.Resident())
	}
}

func TestSetLimit(t *testing.T) {
	e := enginetest.New(t, 1<<20)
	v := columns(1)[0]
	during(t, e, func(task *engine.Task) {
		cached(t, task, 0, v)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if err := e.SetLimit(ctx, 2<<20); !errors.Is(err, context.Canceled) {
			t.Errorf("with a task running: %v", err)
		}
	})
	if err := e.SetLimit(context.Background(), 2<<20); err != nil {
		t.Fatal(err)
	}
	if limit, _, held := e.Memory(); limit != 2<<20 || held != 0 || len(e.Resident()) != 0 {
		t.Errorf("limit %d, %d bytes in columns", limit, held)
	}
	if err := e.SetLimit(context.Background(), 1<<50); !errors.Is(err, sqlerr.OutOfMemory) {
		t.Errorf("more than there is: %v", err)
	}
	during(t, e, func(task *engine.Task) {
		if cached(t, task, 0, v) || task.Free() < 1<<20 {
			t.Errorf("%d bytes free after the refusal", task.Free())
		}
	})
}

// TestTasksOfManyGoroutines use one cache that is too small for all columns.
func TestTasksOfManyGoroutines(t *testing.T) {
	e := enginetest.New(t, 500<<10)
	vs := columns(6)
	var wg sync.WaitGroup
	for worker := range uint64(4) {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(worker, 0))
			for range 10 {
				during(t, e, func(task *engine.Task) {
					for range 2 {
						i := r.IntN(len(vs))
						cached(t, task, i, vs[i])
					}
				})
				e.Describe()
			}
		})
	}
	wg.Wait()
}

// narrowly brings a narrow column of 80 KB to the cache, unless it is there, and reports whether it was.
func narrowly(t *testing.T, e *engine.Engine, key engine.Key, texts *column.Dictionary) (hit bool) {
	t.Helper()
	key.Table, key.Version, key.Narrow = "t", 7, true
	during(t, e, func(task *engine.Task) {
		if _, hit = task.Narrow(key); hit {
			return
		}
		c := column.Narrow{Width: 8, Rows: 10 << 10, Texts: texts}
		if _, err := task.LoadNarrow(key, true, c, func(dst []byte, _ int64) { clear(dst) }, nil); err != nil {
			t.Error(err)
		}
	})
	return hit
}

// TestCacheKeepsWhatStays loads many columns after one that is to stay. It goes when its key says so no longer.
func TestCacheKeepsWhatStays(t *testing.T) {
	e := enginetest.New(t, 800<<10)
	key := engine.Key{Table: "t", Version: 7, Column: 1000, Narrow: true}
	stays := key
	stays.Stay = true
	narrowly(t, e, stays, nil)
	for i := range 60 {
		narrowly(t, e, engine.Key{Column: i}, nil)
	}
	if !e.Holds(key) {
		t.Fatal("the column was evicted before others")
	}
	during(t, e, func(task *engine.Task) {
		if _, ok := task.Narrow(key); !ok {
			t.Error("the column is not found without Stay")
		}
	})
	for i := range 60 {
		narrowly(t, e, engine.Key{Column: i}, nil)
	}
	if e.Holds(key) {
		t.Error("the column stays though it need not")
	}
}

// TestCacheKeepsTheExpensive loads more and more columns of numbers after one of texts and one of a function's
// values. These two stay longer, but not forever.
func TestCacheKeepsTheExpensive(t *testing.T) {
	for _, expensive := range []struct {
		key   engine.Key
		texts *column.Dictionary
	}{{engine.Key{Column: 1000}, &column.Dictionary{Texts: []string{"a", "b"}}}, {engine.Key{Column: 1000, Derived: "f"}, nil}} {
		e := enginetest.New(t, 800<<10)
		narrowly(t, e, expensive.key, expensive.texts)
		key := expensive.key
		key.Table, key.Version, key.Narrow = "t", 7, true
		gone := 0
		for i := 1; i <= 60 && gone == 0; i++ {
			if narrowly(t, e, engine.Key{Column: i}, nil) {
				t.Fatalf("column %d was there before", i)
			}
			if !e.Holds(key) {
				gone = i
			}
		}
		if gone < 10 || gone == 60 { // the cache has space for 5
			t.Errorf("%+v was evicted by column %d", expensive.key, gone)
		}
	}
}
