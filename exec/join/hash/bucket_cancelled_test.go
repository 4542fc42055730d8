package hash

import (
	"context"
	"errors"
	"testing"

	"gsql/exec/join/partition"
	"gsql/exec/keyenc"
	"gsql/exec/op"
	"gsql/internal/mem"
)

// cancelledAfter is a context that is cancelled after being checked a number of times.
type cancelledAfter struct {
	context.Context
	left int
}

func (c *cancelledAfter) Err() error {
	if c.left == 0 {
		return context.Canceled
	}
	c.left--
	return nil
}

// TestClusteredCancelled cancels the construction of a table with duplicate codes at every check
// for cancellation. Each time it must end and hold nothing.
func TestClusteredCancelled(t *testing.T) {
	const rows = 20_000
	partBits := BucketPartitionBits(rows)
	checks := 0
	for ; ; checks++ {
		root := mem.NewRoot("query", 0)
		in := &keyenc.Codes{}
		var err error
		if in.Words, err = mem.Alloc[uint64](root, rows); err != nil {
			t.Fatal(err)
		}
		for i := range in.Words.S {
			in.Words.S[i] = uint64(i / 2)
		}
		ctx := &op.Ctx{Context: context.Background(), Mem: root, Workers: 1}
		p, err := partition.Split(ctx, root, in, partition.Digits{Hashed: true, Shift: 64 - partBits, Count: 1 << partBits})
		if err != nil {
			t.Fatal(err)
		}
		ctx.Context = &cancelledAfter{context.Background(), checks}
		c, order, err := NewBucketTable(ctx, root, p, partBits)
		in.Free()
		order.Free()
		c.Free()
		if root.Used() != 0 {
			t.Fatalf("%d bytes are left after %d checks", root.Used(), checks)
		}
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	if parts := 1 << partBits; checks < 3*parts {
		t.Errorf("%d checks for %d partitions, each of which is filled, counted and moved", checks, parts)
	}
}
