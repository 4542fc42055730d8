package storage

import (
	"errors"
	"slices"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

func TestNames(t *testing.T) {
	s := NewStore(nil)
	create(t, s, "Flights", pairs())
	tx := s.Begin()
	if o, err := tx.Table(bg, "GSQL", "fLIGHTS"); err != nil || o.Table.Name() != "Flights" {
		t.Fatal(o, err)
	}
	_, err := tx.Table(bg, "", "fligths")
	var e *sqlerr.Error
	if !errors.As(err, &e) || e.Code != sqlerr.NoSuchTable || e.Msg != "Table 'gsql.fligths' doesn't exist" || e.Hint != "Did you mean 'Flights'?" {
		t.Fatalf("%+v", e)
	}
	_, err = tx.Table(bg, "nodb", "x")
	wantCode(t, err, sqlerr.BadDB)
	for db, code := range map[string]sqlerr.Code{"nodb": sqlerr.BadDB, "": sqlerr.NoDB} {
		tx.Use(db)
		_, err = tx.Table(bg, "", "flights")
		wantCode(t, err, code)
		wantCode(t, tx.DDL().CreateTable("", "t", pairs()), code)
	}
	tx.Use(DefaultDB)
	wantCode(t, tx.DDL().CreateTable("", "FLIGHTS", pairs()), sqlerr.TableExists)
	wantCode(t, tx.DDL().DropTable("", "nope"), sqlerr.BadTable)
	wantCode(t, tx.DDL().CreateDatabase("Gsql"), sqlerr.DBCreateExists)
	wantCode(t, tx.DDL().DropDatabase("nodb"), sqlerr.DBDropExists)
	must(t, tx.DDL().CreateDatabase("other"))
	tx.Use("OTHER")
	must(t, tx.DDL().CreateTable("", "flights", pairs()))
	must(t, tx.DDL().CreateView(catalog.View{Name: "v", SQL: "SELECT 1"}, false))
	wantCode(t, tx.DDL().CreateView(catalog.View{Name: "V", SQL: "SELECT 2"}, false), sqlerr.TableExists)
	must(t, tx.DDL().CreateView(catalog.View{Name: "V", SQL: "SELECT 2"}, true))
	wantCode(t, tx.DDL().CreateView(catalog.View{Name: "flights"}, true), sqlerr.WrongObject)
	wantCode(t, tx.DDL().DropTable("", "v"), sqlerr.BadTable)
	wantCode(t, tx.DDL().DropView("", "flights"), sqlerr.WrongObject)
	if o, err := tx.Table(bg, "", "v"); err != nil || o.View.SQL != "SELECT 2" || o.View.DB != "other" {
		t.Fatal(o, err)
	}
	must(t, tx.Commit())
	tx = s.Begin()
	if got := tx.Databases(); !slices.Equal(got, []string{"gsql", "other"}) {
		t.Fatal(got)
	}
	tables, views, err := tx.Tables("other")
	if err != nil || !slices.Equal(tables, []string{"flights"}) || !slices.Equal(views, []string{"V"}) {
		t.Fatal(tables, views, err)
	}
}

func TestSchemasAreChecked(t *testing.T) {
	col := func(name string) catalog.Column { return catalog.Column{Name: name, Type: types.T(types.Int64)} }
	tests := []struct {
		schema catalog.Schema
		code   sqlerr.Code
	}{
		{catalog.Schema{Columns: []catalog.Column{col("a"), col("A")}}, sqlerr.DupFieldName},
		{catalog.Schema{Columns: []catalog.Column{col("a")}, Indexes: []catalog.Index{{Primary: true, Columns: []int{0}}, {Primary: true, Columns: []int{0}}}}, sqlerr.MultiplePriKey},
		{catalog.Schema{Columns: []catalog.Column{col("a")}, Indexes: []catalog.Index{{Name: "i", Columns: []int{0}}, {Name: "I", Columns: []int{0}}}}, sqlerr.DupKeyName},
	}
	for _, x := range tests {
		wantCode(t, NewStore(nil).Begin().DDL().CreateTable("", "t", &x.schema), x.code)
	}
}

// TestDefinitionsAreTransactional checks that tables appear and disappear only at commit, and
// that it does not matter if other transactions change names.
func TestDefinitionsAreTransactional(t *testing.T) {
	s := NewStore(nil)
	a, b, c := s.Begin(), s.Begin(), s.Begin()
	for _, tx := range []*Tx{a, b, c} {
		name := "same"
		if tx == b {
			name = "different"
		}
		must(t, tx.DDL().CreateTable("", name, pairs()))
		must(t, insert(tx, lookup(t, tx, name), ints(1), strs(name)))
	}
	_, err := s.Begin().Table(bg, "", "same")
	wantCode(t, err, sqlerr.NoSuchTable)
	must(t, a.Commit())
	must(t, b.Commit())
	wantCode(t, c.Commit(), sqlerr.TableExists)
	wantRows(t, lookup(t, s.Begin(), "different"), "1|different|")
	wantRows(t, lookup(t, s.Begin(), "same"), "1|same|")

	dropper, writer, reader := s.Begin(), s.Begin(), s.Begin()
	must(t, insert(writer, lookup(t, writer, "same"), ints(2), strs("x")))
	must(t, dropper.DDL().DropTable("", "same"))
	must(t, dropper.DDL().CreateTable("", "same", pairs()))
	must(t, dropper.Commit())
	wantCode(t, writer.Commit(), sqlerr.NoSuchTable)
	wantRows(t, lookup(t, reader, "same"), "1|same|")
	wantRows(t, lookup(t, s.Begin(), "same"))

	// The slot of a dropped table is reused; older snapshots keep their version.
	tx := s.Begin()
	gone := lookup(t, tx, "different")
	must(t, tx.DDL().DropTable("", "different"))
	wantCode(t, insert(tx, gone, ints(7), strs("x")), sqlerr.NoSuchTable)
	must(t, tx.Commit())
	create(t, s, "third", pairs())
	commitRows(t, s, "third", ints(3), strs("3"))
	wantRows(t, lookup(t, reader, "different"), "1|different|")
	wantRows(t, lookup(t, s.Begin(), "third"), "3|3|")
}

func TestTruncate(t *testing.T) {
	s := NewStore(nil)
	create(t, s, "t", pairs())
	commitRows(t, s, "t", ints(1, 2), strs("a", "b"))
	tx, other := s.Begin(), s.Begin()
	must(t, insert(tx, lookup(t, tx, "t"), ints(3), strs("c")))
	must(t, tx.Truncate(lookup(t, tx, "t")))
	wantRows(t, lookup(t, tx, "t"))
	must(t, insert(tx, lookup(t, tx, "t"), ints(2), strs("new")))
	must(t, insert(other, lookup(t, other, "t"), ints(9), strs("x")))
	must(t, tx.Commit())
	must(t, other.Commit())
	wantRows(t, lookup(t, s.Begin(), "t"), "2|new|", "9|x|")
	tx = s.Begin()
	wantCode(t, insert(tx, lookup(t, tx, "t"), ints(2), strs("dup")), sqlerr.DupEntry)
	must(t, insert(tx, lookup(t, tx, "t"), ints(1), strs("free")))
}

func TestAutoIncrement(t *testing.T) {
	s := NewStore(nil)
	schema := pairs()
	schema.Columns[0].AutoInc = true
	create(t, s, "t", schema)
	tx := s.Begin()
	id := ints(0, 7, 5, 0)
	id.SetNull(3)
	must(t, insert(tx, lookup(t, tx, "t"), id, strs("a", "b", "c", "d")))
	if tx.LastInsertID() != 1 {
		t.Fatal(tx.LastInsertID())
	}
	must(t, tx.Commit())
	wantRows(t, lookup(t, s.Begin(), "t"), "1|a|", "7|b|", "5|c|", "8|d|")
}

// TestCreateIndexOrder checks that keys are in MySQL's order, as in CREATE TABLE and ALTER TABLE.
func TestCreateIndexOrder(t *testing.T) {
	s := NewStore(nil)
	schema := pairs()
	schema.Indexes = append(schema.Indexes, catalog.Index{Name: "plain", Columns: []int{1}})
	create(t, s, "t", schema)
	tx := s.Begin()
	must(t, tx.DDL().CreateIndex(bg, lookup(t, tx, "t"), catalog.Index{Name: "u", Columns: []int{1}, Unique: true}))
	var got []string
	for _, x := range lookup(t, tx, "t").Schema().Indexes {
		got = append(got, x.Name)
	}
	if want := []string{"PRIMARY", "u", "plain"}; !slices.Equal(got, want) {
		t.Errorf("the keys are %q, want %q", got, want)
	}
}
