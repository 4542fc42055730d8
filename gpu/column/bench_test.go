package column_test

import (
	"fmt"
	"testing"

	"gsql/gpu/column"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// BenchmarkPack packs batches as tables return them.
func BenchmarkPack(b *testing.B) {
	const rows = 16 << 10
	ints, dict := vec.NewFlat(types.T(types.Int64), rows), vec.NewFlat(types.T(types.String), 100)
	dict.Dict = true
	for i := range dict.Str {
		dict.Str[i] = fmt.Sprint("text ", i)
	}
	view := &vec.Vector{Type: dict.Type, Form: vec.View, N: rows, Base: dict, Idx: make([]int32, rows)}
	texts := vec.NewFlat(types.T(types.String), rows)
	for i := range rows {
		ints.I64[i], view.Idx[i], texts.Str[i] = int64(i*7919%60000), int32(i*7919%100), dict.Str[i*7919%100]
	}
	nulls := *ints
	nulls.Null = make([]bool, rows)
	for i := range rows {
		nulls.Null[i] = i%9 == 0
	}
	memory := make([]uint64, 2*rows)
	for name, v := range map[string]*vec.Vector{"ints": ints, "nulls": &nulls, "dictionary": view, "texts": texts} {
		b.Run(name, func(b *testing.B) {
			at := 0
			p := column.NewPacker(v.Type, func(n int) ([]uint64, error) { at += n; return memory[at-n : at], nil }, free)
			b.ReportAllocs()
			for b.Loop() {
				at = 0
				if _, err := p.Pack(v); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
		})
	}
}

// BenchmarkLayout lays out parts of two bytes in a column of four.
func BenchmarkLayout(b *testing.B) {
	const rows, parts = 16 << 10, 16
	p := column.NewPacker(types.T(types.Int64), room, free)
	var all []column.Part
	for i := range parts {
		v := vec.NewFlat(types.T(types.Int64), rows)
		for k := range v.I64 {
			v.I64[k] = int64(i<<20 + k)
		}
		part, err := p.Pack(v)
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, part)
	}
	l := column.NewLayout(false, all, nil, nil)
	dst := make([]byte, l.ValueBytes())
	for b.Loop() {
		l.Values(dst, 0)
	}
	b.ReportMetric(rows*parts*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
}
