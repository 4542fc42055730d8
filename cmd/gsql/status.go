package main

import (
	"context"
	"errors"
	"fmt"

	"gsql/sql/catalog"
)

// dotStatus is the command .status.
func dotStatus(sh *shell, args []string) error {
	if len(args) > 0 {
		return errors.New("takes no arguments")
	}
	tables := "in memory"
	if sh.folder != "" {
		tables = "in " + sh.folder
	}
	show := func(label, value string) { fmt.Fprintf(sh.out, "%10s: %s\n", label, value) }
	show("program", version())
	show("database", sh.s.Database())
	show("tables", tables)
	for _, v := range []struct{ label, variable, zero string }{
		{"device", "gsql_device", ""}, {"workers", "gsql_workers", "one per core"}, {"memory", "gsql_memory_limit", "the database's limit"},
		{"isolation", "transaction_isolation", ""}, {"time zone", "time_zone", ""},
	} {
		value, err := sh.variable(v.variable)
		if err != nil {
			return err
		}
		if value == "0" {
			value = v.zero
		}
		show(v.label, value)
	}
	return nil
}

// variable returns the value of a system variable as text.
func (sh *shell) variable(name string) (string, error) {
	rows, err := sh.s.Query(context.Background(), "SELECT @@"+name)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	b, err := rows.NextBatch()
	if err != nil {
		return "", err
	}
	return catalog.DatumAt(b.Cols[0], 0).Text(), nil
}
