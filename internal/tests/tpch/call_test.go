package tpch_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
	"gsql/internal/tpch"
	"gsql/sql/sqlerr"
)

// TestCall compares the tables that CALL gsql_tpch makes, by several workers, with the files of the
// same scale factor.
func TestCall(t *testing.T) {
	dir := t.TempDir()
	if err := tpch.Generate(context.Background(), dir, 0.01, nil); err != nil {
		t.Fatal(err)
	}
	s := sqltest.Open(t, gsql.Config{Dir: dir, Workers: 3})
	rows := sqltest.Rows(t, s, "CALL gsql_tpch(0.01)")
	if len(rows) != len(tpchTables) {
		t.Fatalf("%v", rows)
	}
	for i, name := range tpchTables {
		got := sqltest.Rows(t, s, fmt.Sprintf("SELECT '%[1]s', COUNT(*) FROM `%[1]s.parquet`", name))[0]
		if fmt.Sprint(rows[i]) != fmt.Sprint(got) {
			t.Errorf("CALL reports %v, the file has %v rows", rows[i], got)
		}
		differ := fmt.Sprintf("SELECT COUNT(*) FROM ((SELECT * FROM %[1]s EXCEPT ALL SELECT * FROM `%[1]s.parquet`) UNION ALL "+
			"(SELECT * FROM `%[1]s.parquet` EXCEPT ALL SELECT * FROM %[1]s)) d", name)
		if n := sqltest.Rows(t, s, differ)[0][0]; n != "0" {
			t.Errorf("%s rows of %s differ", n, name)
		}
	}
	if got := sqltest.Rows(t, s, "SELECT table_name, column_name FROM information_schema.key_column_usage WHERE constraint_name = 'PRIMARY' AND table_name = 'partsupp' ORDER BY ordinal_position"); fmt.Sprint(got) != "[[partsupp ps_partkey] [partsupp ps_suppkey]]" {
		t.Errorf("the key of partsupp is %v", got)
	}
}

// TestCallFails checks that a CALL that fails leaves no table.
func TestCallFails(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	for text, code := range map[string]sqlerr.Code{
		"CALL gsql_tpch()":         sqlerr.SPWrongNoOfArgs,
		"CALL gsql_tpch(1, 2)":     sqlerr.SPWrongNoOfArgs,
		"CALL gsql_tpch(0)":        sqlerr.WrongArguments,
		"CALL gsql_tpch('much')":   sqlerr.WrongArguments,
		"CALL gsql_tpch(NULL)":     sqlerr.WrongArguments,
		"CALL gsql_tpch(1e9)":      sqlerr.WrongArguments,
		"CALL other.gsql_tpch(1)":  sqlerr.SPDoesNotExist,
		"CALL gsql_tpch((SELECT))": sqlerr.ParseError,
	} {
		if _, err := sqltest.TryRows(s, text); sqltest.Code(err) != code {
			t.Errorf("%s: %v, want error %d", text, err, code)
		}
	}
	sqltest.Run(t, s, "CREATE TABLE lineitem (a INT)")
	if _, err := sqltest.TryRows(s, "CALL gsql_tpch(0.001)"); !errors.Is(err, sqlerr.TableExists) {
		t.Errorf("%v, want error %d", err, sqlerr.TableExists)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	sqltest.Run(t, s, "DROP TABLE lineitem")
	if _, err := s.Query(ctx, "CALL gsql_tpch(0.01)"); err == nil {
		t.Error("a cancelled CALL succeeded")
	}
	if rows := sqltest.Rows(t, s, "SHOW TABLES"); len(rows) != 0 {
		t.Errorf("there are tables: %v", rows)
	}
}
