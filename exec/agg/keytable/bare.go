package keytable

import (
	"gsql/exec/rowhash"
	"gsql/internal/mem"
	"gsql/sql/vec"
)

// AddAscending adds the groups that begin at the given rows of k, which has n rows.
func (t *Table) AddAscending(k *vec.Vector, n int, rows []int32) error {
	t.Bare = true
	t.Groups += len(rows)
	if len(rows) == 0 {
		return nil
	}
	return t.addKeys([]*vec.Vector{k}, n, rows)
}

// Index adds the groups of a bare table to its index.
func (t *Table) Index() error {
	if !t.Bare {
		return nil
	}
	if err := mem.ScratchRoom(t.account, &t.hashes, t.Groups); err != nil {
		return err
	}
	rowhash.Rows(t.Keys, t.hashes.S[:t.Groups])
	if err := t.ints.reserve(t, t.Groups); err != nil {
		return err
	}
	t.Bare = false
	return nil
}

// HashesOf returns the hashes of groups [lo, hi). room is scratch space for as many.
func (t *Table) HashesOf(lo, hi int, room []uint64) []uint64 {
	if !t.Bare {
		return t.hashes.S[lo:hi]
	}
	rowhash.Rows([]*vec.Vector{t.Keys[0].Slice(lo, hi)}, room[:hi-lo])
	return room[:hi-lo]
}

// HashesOfSome writes the hashes of some groups, whose keys are keys, to hash.
func (t *Table) HashesOfSome(groups []int32, keys []*vec.Vector, hash []uint64) {
	if t.Bare {
		rowhash.Rows(keys, hash)
		return
	}
	for i, g := range groups {
		hash[i] = t.hashes.S[g]
	}
}

// AscendingKeys returns the keys of a bare table by group.
func (t *Table) AscendingKeys() []int64 {
	if t.Groups == 0 {
		return nil
	}
	return t.Keys[0].I64[:t.Groups]
}
