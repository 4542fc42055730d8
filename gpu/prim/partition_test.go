//go:build sim || cuda

package prim_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gsql/gpu"
	"gsql/gpu/engine"
	"gsql/gpu/enginetest"
	"gsql/gpu/prim"
)

// partitionKeys are n keys of a shape, at random where it has no other name.
func partitionKeys[K int32 | int64](shape string, n int64) []K {
	r := rand.New(rand.NewPCG(uint64(n), 3))
	keys := make([]K, n)
	for i := range keys {
		switch shape {
		case "equal":
			keys[i] = -7
		case "extreme":
			keys[i] = []K{0, 1, -1, K(math.MinInt32), K(math.MaxInt32)}[r.IntN(5)]
		default:
			keys[i] = K(r.Uint64())
		}
	}
	return keys
}

// checkPartitions checks that every row occurs once, equal keys are in one partition, bounds ascend
// to the number of rows, and hashes differ as keys do.
func checkPartitions[K int32 | int64, V int32 | int64](t *testing.T, task *engine.Task, p *prim.Partitions, keys []K, value func(row int64) V) {
	t.Helper()
	n := int64(len(keys))
	bounds := enginetest.Download[int64](t, task, p.Bounds, p.Count()+1)
	if bounds[0] != 0 || bounds[p.Count()] != n || !slices.IsSorted(bounds) {
		t.Fatalf("bounds from %d to %d of %d rows, ascending %v", bounds[0], bounds[p.Count()], n, slices.IsSorted(bounds))
	}
	hashes := enginetest.Download[K](t, task, p.Hashes, n)
	values := enginetest.Download[V](t, task, p.Values, n)
	rowOf := make(map[V]int64, n)
	for row := range n {
		rowOf[value(row)] = row
	}
	hashOf, partitionOf := map[K]K{}, map[K]int{}
	for part := range int(p.Count()) {
		for i := bounds[part]; i < bounds[part+1]; i++ {
			row, ok := rowOf[values[i]]
			if !ok {
				t.Fatalf("value %d is of no row, or twice", values[i])
			}
			delete(rowOf, values[i])
			key := keys[row]
			if h, seen := hashOf[key]; seen && (h != hashes[i] || partitionOf[key] != part) {
				t.Fatalf("key %d has hashes %d and %d, partitions %d and %d", key, h, hashes[i], partitionOf[key], part)
			}
			hashOf[key], partitionOf[key] = hashes[i], part
		}
	}
	different := map[K]bool{}
	for _, h := range hashOf {
		different[h] = true
	}
	if len(different) != len(hashOf) {
		t.Fatalf("%d hashes of %d keys", len(different), len(hashOf))
	}
}

func testPartition[K int32 | int64](t *testing.T, wide bool) {
	for _, c := range []struct {
		shape string
		n     int64
		bits  uint
	}{{"random", 0, 3}, {"random", 1, 1}, {"random", 33, 8}, {"random", 10241, 5}, {"random", 30000, 9}, {"random", 1000, 17},
		{"equal", 12000, 9}, {"extreme", 7000, 10}} {
		t.Run(fmt.Sprintf("%s-%d-%d", c.shape, c.n, c.bits), func(t *testing.T) {
			task := enginetest.Begin(t, enginetest.New(t, 32<<20))
			keys := partitionKeys[K](c.shape, c.n)
			in := enginetest.Upload(t, task, keys)
			make := func(width int64, carried prim.Carried) *prim.Partitions {
				p, err := prim.NewPartitions(task, wide, width, c.n, c.bits)
				if err == nil {
					err = p.Partition(task, in, carried, c.n)
				}
				if err != nil {
					t.Fatal(err)
				}
				return p
			}
			checkPartitions(t, task, make(4, prim.Carried{Addend: 5}), keys, func(row int64) int32 { return int32(row + 5) })
			if c.bits > 16 {
				return // three levels are many blocks to emulate
			}
			low, high, whole := []int32{}, []int32{}, []int64{}
			for row := range c.n {
				low, high, whole = append(low, int32(row-9)), append(high, int32(-row)), append(whole, row<<33-1)
			}
			lows, highs := enginetest.Upload(t, task, low), enginetest.Upload(t, task, high)
			checkPartitions(t, task, make(8, prim.Carried{Column: lows, High: highs}), keys,
				func(row int64) int64 { return -row<<32 | int64(uint32(row-9)) })
			checkPartitions(t, task, make(8, prim.Carried{Column: enginetest.Upload(t, task, whole)}), keys, func(row int64) int64 { return row<<33 - 1 })
			alone := make(0, prim.Carried{})
			hashes := enginetest.Download[K](t, task, alone.Hashes, c.n)
			want := enginetest.Download[K](t, task, make(4, prim.Carried{}).Hashes, c.n)
			slices.Sort(hashes)
			slices.Sort(want)
			if !slices.Equal(hashes, want) {
				t.Error("keys alone have other hashes")
			}
		})
	}
}

func TestPartition32(t *testing.T) { testPartition[int32](t, false) }
func TestPartition64(t *testing.T) { testPartition[int64](t, true) }

// TestPartitionMemory allocates exactly what PartitionBytes returns and checks that the scratch is
// released.
func TestPartitionMemory(t *testing.T) {
	for _, bits := range []uint{4, 12} {
		const n = 5000
		kept, scratch := prim.PartitionBytes(true, 4, n, bits)
		for _, spare := range []int64{0, -gpu.Alignment} {
			task := enginetest.Begin(t, enginetest.New(t, 16<<20))
			keys := enginetest.Upload(t, task, partitionKeys[int64]("random", n))
			if _, err := task.Alloc(task.Free() - kept - scratch - spare); err != nil {
				t.Fatal(err)
			}
			p, err := prim.NewPartitions(task, true, 4, n, bits)
			if err != nil {
				t.Fatal(err)
			}
			err = p.Partition(task, keys, prim.Carried{}, n)
			if (err != nil) != (spare < 0) {
				t.Errorf("%d bits with %d bytes to spare: %v", bits, spare, err)
			}
			if free := task.Free(); free < scratch+spare {
				t.Errorf("%d bytes are free, %d were before", free, scratch+spare)
			}
		}
	}
}
