package storage

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/collate"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// found returns a table with the given number of rows whose columns are keys of several kinds:
// dense and sparse numbers in order, unordered numbers, text, text with a collation, and pairs of
// numbers. It also returns the values by kind and the key's columns.
func found(b *testing.B, rows int) (tbl catalog.Table, byKind map[string][]*vec.Vector, columns map[string][]int) {
	number, text := types.T(types.Int64), types.T(types.String)
	s := NewStore(nil)
	schema := &catalog.Schema{Columns: []catalog.Column{{Name: "dense", Type: number}, {Name: "sparse", Type: number}, {Name: "mixed", Type: number},
		{Name: "text", Type: text}, {Name: "collated", Type: text.Collated(types.UCA)}, {Name: "a", Type: number}, {Name: "b", Type: number}, {Name: "v", Type: number}}}
	columns = map[string][]int{"dense": {0}, "sparse": {1}, "mixed": {2}, "text": {3}, "collated": {4}, "pair": {5, 6}}
	for _, c := range columns {
		schema.Indexes = append(schema.Indexes, catalog.Index{Name: fmt.Sprint("by", c), Columns: c, Unique: true})
	}
	create(b, s, "t", schema)
	cols := make([]*vec.Vector, len(schema.Columns))
	for i := range cols {
		cols[i] = vec.NewFlat(schema.Columns[i].Type, rows)
	}
	shuffled := rand.New(rand.NewPCG(1, 2)).Perm(rows)
	for i := range rows {
		cols[0].I64[i], cols[1].I64[i], cols[2].I64[i] = int64(i), int64(i)*7+int64(i%5), int64(shuffled[i])
		cols[3].Str[i] = fmt.Sprint("Customer#", shuffled[i])
		cols[4].Str[i] = cols[3].Str[i]
		cols[5].I64[i], cols[6].I64[i], cols[7].I64[i] = int64(shuffled[i]/7), int64(shuffled[i]%7), int64(i)
	}
	commitRows(b, s, "t", cols...)
	byKind = map[string][]*vec.Vector{}
	for kind, cs := range columns {
		for _, c := range cs {
			v := cols[c]
			if kind == "collated" {
				v = vec.NewFlat(text, rows)
				for i, s := range cols[c].Str {
					v.Str[i] = collate.Key(types.UCA, s)
				}
			}
			byKind[kind] = append(byKind[kind], v)
		}
	}
	return lookup(b, s.Begin(), "t"), byKind, columns
}

// some returns the values of the given rows.
func some(v *vec.Vector, rows []int32) *vec.Vector {
	return (&vec.Vector{Type: v.Type, Form: vec.View, N: len(rows), Base: v, Idx: rows}).Flatten(nil)
}

// BenchmarkLookup times finding rows by keys and fetching one or eight of their columns. The
// rates of cost.Profile (LookupNS, PickNS and those next to them) are based on it.
func BenchmarkLookup(b *testing.B) {
	for _, rows := range []int{10_000, 100_000, 1_000_000} {
		tbl, byKind, columns := found(b, rows)
		for _, kind := range []string{"dense", "sparse", "mixed", "text", "collated", "pair"} {
			for _, n := range []int{10, 1000} {
				for _, fetched := range [][]int{nil, {7}, {7, 0, 1, 2, 5, 6}} {
					b.Run(fmt.Sprintf("%s/%d of %d/%d columns", kind, n, rows, len(fetched)), func(b *testing.B) {
						sets := make([]*catalog.Keys, 64) // so that no set of rows stays in the cache
						for i := range sets {
							at := make([]int32, n)
							for j := range at {
								at[j] = rand.Int32N(int32(rows))
							}
							sets[i] = &catalog.Keys{Columns: columns[kind]}
							for _, v := range byKind[kind] {
								sets[i].Values = append(sets[i].Values, some(v, at))
							}
						}
						i := 0
						for b.Loop() {
							src, err := tbl.Scan(bg, catalog.ScanSpec{Columns: fetched, Keys: sets[i%64]})
							must(b, err)
							r, _ := src.NewReader()
							for {
								batch, err := r.Next()
								must(b, err)
								if batch == nil {
									break
								}
							}
							i++
						}
						b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(n)/float64(b.N), "ns/key")
					})
				}
			}
		}
	}
}
