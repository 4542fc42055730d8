package infoschema

import (
	"context"
	"errors"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// fake is an inventory of one database with a table and a view whose table does not exist.
type fake struct{ asked map[string]int }

func (fake) Databases() []string                   { return []string{"shop"} }
func (fake) Collation(string) types.Collation      { return types.Bin }
func (fake) Names(string) (tables, views []string) { return []string{"t"}, []string{"broken"} }
func (fake) Variables(bool) []Setting              { return []Setting{{Name: "a", Value: "1"}} }
func (fake) Status() []Setting                     { return []Setting{{Name: "Uptime", Value: "1"}} }
func (fake) Processes() []Process                  { return []Process{{ID: 1, Command: "Sleep"}} }
func (fake) Placements() []Placement {
	return []Placement{{Device: "sim:0", Operator: "HashJoin", Runs: 2}}
}
func (fake) Residents() []Resident {
	return []Resident{{Device: "sim:0", Table: "t", Column: "id", Form: "2 bytes", Rows: 3, Bytes: 6}}
}
func (fake) ViewSchema(context.Context, *catalog.View) (*catalog.Schema, error) {
	return nil, sqlerr.ViewInvalid
}

func (f fake) Object(_ context.Context, db, name string) (catalog.Object, error) {
	f.asked[db+"."+name]++
	if name == "broken" {
		return catalog.Object{View: &catalog.View{DB: db, Name: name}}, nil
	}
	return catalog.Object{Table: &table{definition: newDefinition(db, name, "id bigint, name varchar(10)", nil)}}, nil
}

// read reads all columns of a table in batches of n and returns the number of rows.
func read(t *testing.T, tbl catalog.Table, n int, prune ...catalog.Range) int {
	t.Helper()
	spec := catalog.ScanSpec{BatchSize: n, Prune: prune}
	for i := range tbl.Schema().Columns {
		spec.Columns = append(spec.Columns, i)
	}
	src, err := tbl.Scan(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	r, err := src.NewReader()
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for {
		b, err := r.Next()
		if err != nil {
			t.Fatal(tbl.Name(), err)
		}
		if b == nil {
			return rows
		}
		if b.N == 0 || b.N > n {
			t.Fatalf("%s: a batch of %d rows", tbl.Name(), b.N)
		}
		rows += b.N
		for i, v := range b.Cols {
			if v.N != b.N || v.Type != tbl.Schema().Columns[i].Type {
				t.Fatalf("%s: column %d has %d rows of %s", tbl.Name(), i, v.N, v.Type)
			}
		}
	}
}

// TestEveryTable reads all columns of all tables with various batch sizes.
func TestEveryTable(t *testing.T) {
	inv := fake{map[string]int{}}
	for _, db := range Databases() {
		for _, name := range Names(db) {
			tbl, err := Find(inv, db, name)
			if err != nil {
				t.Fatal(err)
			}
			if a, b := read(t, tbl, 1), read(t, tbl, 1000); a != b {
				t.Errorf("%s.%s: %d rows one by one, %d at once", db, name, a, b)
			}
		}
	}
}

// TestPrune checks that only the tables named in a query's comparisons are examined.
func TestPrune(t *testing.T) {
	inv := fake{map[string]int{}}
	tbl, err := Find(inv, "INFORMATION_SCHEMA", "columns")
	if err != nil {
		t.Fatal(err)
	}
	is := func(column, value string) catalog.Range {
		d := catalog.Str(value)
		return catalog.Range{Column: tbl.Schema().Ordinal(column), Lo: &d, Hi: &d}
	}
	if n := read(t, tbl, 10, is("TABLE_SCHEMA", "shop"), is("TABLE_NAME", "t")); n != 2 || len(inv.asked) != 1 || inv.asked["shop.t"] != 1 {
		t.Errorf("%d rows, looked at %v", n, inv.asked)
	}
	if n := read(t, tbl, 10, is("TABLE_SCHEMA", "elsewhere")); n != 0 || len(inv.asked) != 1 {
		t.Errorf("%d rows, looked at %v", n, inv.asked)
	}
}

func TestUnknownTable(t *testing.T) {
	for db, code := range map[string]sqlerr.Code{Information: sqlerr.UnknownTable, Performance: sqlerr.NoSuchTable} {
		if _, err := Find(nil, db, "nope"); !errors.Is(err, code) {
			t.Errorf("%s: %v", db, err)
		}
	}
	var e *sqlerr.Error
	if _, err := Find(nil, Information, "tabels"); !errors.As(err, &e) || e.Hint != "Did you mean 'TABLES'?" {
		t.Errorf("%+v", e)
	}
}

// TestMeasures compares with the values that MySQL 8 shows for columns of these types.
func TestMeasures(t *testing.T) {
	for _, tt := range []struct {
		t    types.Type
		want measures
	}{
		{types.T(types.Int8), measures{precision: 3, scale: 0}},
		{types.T(types.Uint64), measures{precision: 20, scale: 0}},
		{types.T(types.Float64), measures{precision: 22}},
		{types.Dec(12, 4), measures{precision: 12, scale: 4}},
		{types.Type{ID: types.String, Len: 10}, measures{chars: int64(10), octets: int64(40), charset: Charset, collation: Collation}},
		{types.Type{ID: types.Bytes, Len: 10}, measures{chars: int64(10), octets: int64(10)}},
		{types.T(types.String), measures{chars: int64(65535), octets: int64(65535), charset: Charset, collation: Collation}},
		{types.Type{ID: types.Enum, Members: types.NewMembers([]string{"a", "ccc", "bb"})}, measures{chars: int64(3), octets: int64(12), charset: Charset, collation: Collation}},
		{types.Type{ID: types.Set, Members: types.NewMembers([]string{"a", "ccc", "bb"})}, measures{chars: int64(8), octets: int64(32), charset: Charset, collation: Collation}},
		{types.T(types.Date), measures{}},
		{types.Type{ID: types.Time, Prec: 3}, measures{fraction: 3}},
		{types.T(types.JSON), measures{}},
		{types.T(types.Year), measures{}},
	} {
		if got := measure(&catalog.Column{Type: tt.t}); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.t, got, tt.want)
		}
	}
}
