package storage

import (
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
)

// TestSavepointsTakeBackDefinitions checks names, indexes and keys; the model test covers rows.
func TestSavepointsTakeBackDefinitions(t *testing.T) {
	s := NewStore(nil)
	create(t, s, "t", pairs())
	commitRows(t, s, "t", ints(1), strs("a"))
	tx := s.Begin()
	must(t, insert(tx, lookup(t, tx, "t"), ints(2), strs("b")))
	sp := tx.Savepoint()
	must(t, insert(tx, lookup(t, tx, "t"), ints(3), strs("c")))
	must(t, tx.DDL().CreateIndex(bg, lookup(t, tx, "t"), catalog.Index{Name: "n", Columns: []int{1}, Unique: true}))
	wantCode(t, insert(tx, lookup(t, tx, "t"), ints(4), strs("a")), sqlerr.DupEntry)
	must(t, tx.DDL().CreateTable("", "u", pairs()))
	must(t, insert(tx, lookup(t, tx, "u"), ints(9), strs("z")))
	must(t, tx.Truncate(lookup(t, tx, "t")))
	must(t, insert(tx, lookup(t, tx, "t"), ints(1), strs("z")))
	tx.RollbackTo(sp)
	tx.Release(sp)
	_, err := tx.Table(bg, "", "u")
	wantCode(t, err, sqlerr.NoSuchTable)
	wantRows(t, lookup(t, tx, "t"), "1|a|", "2|b|")
	wantCode(t, insert(tx, lookup(t, tx, "t"), ints(1), strs("x")), sqlerr.DupEntry)
	wantCode(t, insert(tx, lookup(t, tx, "t"), ints(2), strs("x")), sqlerr.DupEntry)
	must(t, insert(tx, lookup(t, tx, "t"), ints(3, 4), strs("a", "a")))
	must(t, tx.Commit())
	wantRows(t, lookup(t, s.Begin(), "t"), "1|a|", "2|b|", "3|a|", "4|a|")
}
