package operators

import (
	"slices"

	"gsql/gpu/lower"
	"gsql/gpu/pipeline"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// placeRead reads columns of a table at the same row numbers.
type placeRead struct {
	table    catalog.PlaceReader
	value    int   // the result's column of the row numbers
	valid    int   // as lower.Output.Valid
	outs     []int // the outputs that are columns of the table
	ordinals []int // theirs
}

// placeReads returns the columns that the host reads for a result, given the tables of its
// relations.
func placeReads(outs []lower.Output, tables []catalog.Table) (all []placeRead, err error) {
	for i := range outs {
		o := &outs[i]
		if o.Form != lower.Row {
			continue
		}
		var table catalog.PlaceReader
		if o.Relation < len(tables) {
			table, _ = tables[o.Relation].(catalog.PlaceReader)
		}
		if table == nil {
			return nil, sqlerr.Internal("pipelines with rows of a table that are not found by their places")
		}
		at := slices.IndexFunc(all, func(r placeRead) bool { return r.table == table && r.value == o.Value && r.valid == o.Valid })
		if at < 0 {
			at = len(all)
			all = append(all, placeRead{table: table, value: o.Value, valid: o.Valid})
		}
		all[at].outs, all[at].ordinals = append(all[at].outs, i), append(all[at].ordinals, o.Ordinal)
	}
	return all, nil
}

// places holds the buffers for reading rows.
type places struct {
	rows     []int64 // of the batch
	distinct []int64 // ascending
	valid    []int64
}

// readRows reads the rows that the batch's rows refer to, from the given one on. It reads each row
// once.
func (s *fusedStream) readRows(r *placeRead, from int) error {
	p := &s.places
	p.rows = s.ints(p.rows, r.value, from)
	p.distinct = append(p.distinct[:0], p.rows...)
	if r.valid != pipeline.None {
		p.valid = s.ints(p.valid, r.valid, from)
		p.distinct = p.distinct[:0]
		for i, x := range p.rows {
			if p.valid[i] != 0 {
				p.distinct = append(p.distinct, x)
			}
		}
	}
	slices.Sort(p.distinct)
	p.distinct = slices.Compact(p.distinct)
	columns, err := r.table.ReadPlaces(s.ctx, p.distinct, r.ordinals)
	if err != nil {
		return err
	}
	idx := s.places.index(s.indexOf(r.outs[0]), r.valid != pipeline.None)
	for i, c := range columns {
		s.out.Cols[r.outs[i]] = &vec.Vector{Type: s.outs[r.outs[i]].Type, Form: vec.View, N: s.out.N, Base: c, Idx: idx}
	}
	return nil
}

// index writes, for each row of the batch, the position among the distinct rows, or -1 for none.
func (p *places) index(idx []int32, padded bool) []int32 {
	for i, x := range p.rows {
		if idx[i] = -1; !padded || p.valid[i] != 0 {
			at, _ := slices.BinarySearch(p.distinct, x)
			idx[i] = int32(at)
		}
	}
	return idx
}
