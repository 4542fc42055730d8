package hash

import (
	"encoding/binary"

	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/engine"
)

const (
	bucketBytes = 32 // kBucketBytes of kernels/hash_table.cuh
	// load is the share of slots in use, in percent. Measured on an H200 with 2^24 rows: 50 and 67
	// are equally fast, 80 takes half as long again.
	load = 50
	// directSlack is how many entries a direct table may have per row: it then takes no more memory
	// than a hash table.
	directSlack = 4
)

// entries describes what a table stores for a row: its number or, if values is set, the value less
// bias, which is never all ones.
type entries struct {
	values gpu.Ptr // 4 bytes per row
	bias   uint32
}

// table is a build side in which keys are looked up.
type table struct {
	bits   string // the key's part of kernel names
	words  gpu.Ptr
	direct bool
	// of a direct table
	base, span uint64
	// of a hash table
	buckets uint64
	runs    *runs // nil if each key has one row
}

// runs are the build rows ordered by the hash of their key.
type runs struct {
	order   gpu.Ptr // row numbers, int32
	lengths gpu.Ptr // uint32, where a run of several rows begins
}

// build builds the best table over keys: a direct one if they are dense, a hash table of single
// rows, or, if keys repeat, one of runs, which ignores e.
func build(t *engine.Task, keys column.Column, e entries, repeated bool) (*table, error) {
	if !repeated {
		for _, attempt := range []func(*engine.Task, column.Column, entries) (*table, error){buildDirect, buildHash} {
			m := t.Mark()
			tab, err := attempt(t, keys, e)
			if err != nil || tab != nil {
				return tab, err
			}
			if err := t.Release(m); err != nil {
				return nil, err
			}
		}
	}
	return buildRuns(t, keys)
}

// dense reports whether a direct table is suitable, and how many entries it has.
func dense(keys *column.Column) (span uint64, ok bool) {
	if !keys.Bounded || keys.Kind == column.F64 || keys.Min > keys.Max {
		return 0, false
	}
	span = uint64(keys.Max) - uint64(keys.Min) + 1
	return span, span != 0 && span <= uint64(keys.Rows)*directSlack
}

// buildDirect returns nil if keys are not dense or repeat.
func buildDirect(t *engine.Task, keys column.Column, e entries) (*table, error) {
	span, ok := dense(&keys)
	if !ok {
		return nil, nil
	}
	tab := &table{bits: keys.Kind.Bits(), direct: true, base: uint64(keys.Min), span: span}
	counts, err := tab.alloc(t, int64(span)*4, 2)
	if err != nil {
		return nil, err
	}
	for _, w := range tab.windows(keys.Rows) {
		if err == nil {
			args := append([]uint64{uint64(keys.Values), 0, uint64(keys.Rows), uint64(keys.Valid), uint64(e.values), uint64(e.bias)}, tab.arguments(w)...)
			err = t.Launch("gsql_direct_build", tab.bits, keys.Rows, false, append(args, uint64(counts))...)
		}
	}
	if err == nil {
		err = t.Launch("gsql_direct_count", "", int64(span), false, uint64(tab.words), span, uint64(counts+8))
	}
	if err != nil {
		return nil, err
	}
	var words [16]byte
	err = t.Read(words[:], counts)
	inserted, set := binary.LittleEndian.Uint64(words[:]), binary.LittleEndian.Uint64(words[8:])
	if err != nil || inserted != set {
		return nil, err
	}
	return tab, nil
}

// buildHash returns nil if keys repeat.
func buildHash(t *engine.Task, keys column.Column, e entries) (*table, error) {
	tab := newHashTable(keys.Kind, keys.Rows)
	repeat, err := tab.alloc(t, tab.hashBytes(), 1)
	if err != nil {
		return nil, err
	}
	err = t.Launch("gsql_hash_build", tab.bits, keys.Rows, false, uint64(keys.Values), word(keys.Kind == column.F64), 0, uint64(keys.Rows),
		uint64(keys.Valid), uint64(e.values), uint64(e.bias), uint64(tab.words), tab.buckets, uint64(repeat))
	if err != nil {
		return nil, err
	}
	if twice, err := t.ReadWord(repeat); err != nil || twice != 0 {
		return nil, err
	}
	return tab, nil
}

func word(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// newHashTable returns an empty hash table for the keys of the given number of rows.
func newHashTable(kind column.Kind, rows int64) *table {
	slots := rows * 100 / load
	perBucket := bucketBytes / (2 * kind.Width())
	return &table{bits: kind.Bits(), buckets: uint64(slots/perBucket + 1)}
}

// hashBytes includes the bucket beyond the last.
func (tab *table) hashBytes() int64 { return int64(tab.buckets+1) * bucketBytes }

// alloc allocates memory for a table without keys and for words that start as 0.
func (tab *table) alloc(t *engine.Task, bytes, words int64) (zeros gpu.Ptr, err error) {
	if tab.words, err = t.Alloc(bytes); err != nil {
		return 0, err
	}
	if zeros, err = t.Alloc(8 * words); err != nil {
		return 0, err
	}
	if err := t.Fill(tab.words, 0xFF, bytes); err != nil {
		return 0, err
	}
	return zeros, t.Fill(zeros, 0, 8*words)
}
