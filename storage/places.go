package storage

import (
	"context"
	"sort"

	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// ReadPlaces implements catalog.PlaceReader.
func (v *version) ReadPlaces(ctx context.Context, places []int64, columns []int) ([]*vec.Vector, error) {
	ids, err := v.idsAt(places)
	if err != nil {
		return nil, err
	}
	byColumn := make([]*vec.Vector, len(v.schema.Columns))
	if err := v.fetchColumns(ctx, ids, byColumn, columns); err != nil {
		return nil, err
	}
	out := make([]*vec.Vector, len(columns))
	for i, c := range columns {
		out[i] = byColumn[c]
	}
	return out, nil
}

// idsAt returns the ids of the rows at ascending places among those that are not deleted.
func (v *version) idsAt(places []int64) ([]int64, error) {
	ids := make([]int64, 0, len(places))
	first, rows := int64(0), []int32(nil) // the place of a run's first row; rows of the run
	for _, r := range v.runs() {
		end := first + int64(r.rows()-r.Del.Count())
		n := sort.Search(len(places), func(i int) bool { return places[i] >= end })
		rows = r.Del.AppendNth(rows[:0], places[:n], first)
		for _, row := range rows {
			ids = append(ids, r.id(int(row)))
		}
		if places, first = places[n:], end; len(places) == 0 {
			return ids, nil
		}
	}
	if len(places) > 0 {
		return nil, sqlerr.Internal("table '%s' has no row %d", v.name, places[0])
	}
	return ids, nil
}
