// Package infoschema implements the tables that describe the engine itself: information_schema
// and performance_schema with the columns of MySQL 8, and the queries over them that implement
// SHOW. Rows are made from an Inventory when a scan is read.
package infoschema

import (
	"context"
	"slices"
	"strings"
	"time"

	"gsql/internal/suggest"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// The virtual databases.
const (
	Information = "information_schema"
	Performance = "performance_schema"
)

// Character set and collation of all text.
const (
	Charset   = "utf8mb4"
	Collation = "utf8mb4_bin"
)

// Engine is the name of the only storage engine.
const Engine = "gsql"

// Inventory provides the contents of the tables as one statement sees them. It must be safe for
// concurrent use while the statement runs.
type Inventory interface {
	// Databases returns the stored databases in order of their names.
	Databases() []string
	// Collation returns the collation of a stored database.
	Collation(db string) types.Collation
	// Names returns the tables and views of a stored database in order of their names; there are
	// none for an unknown database.
	Names(db string) (tables, views []string)
	// Object returns a table or view.
	Object(ctx context.Context, db, name string) (catalog.Object, error)
	// ViewSchema returns the columns of a view. The error describes what the view refers to but
	// does not exist.
	ViewSchema(ctx context.Context, v *catalog.View) (*catalog.Schema, error)
	// Variables returns the system variables in order, with the values of this session or, if
	// global, those that new sessions start with.
	Variables(global bool) []Setting
	// Status returns counters of the process in order of their names.
	Status() []Setting
	// Processes returns the sessions in order of their IDs.
	Processes() []Process
	// Placements returns where operators ran, in order of devices and operators.
	Placements() []Placement
	// Residents returns the columns of tables in the memory of devices.
	Residents() []Resident
}

// Resident is a column of a table in the memory of a device, where it stays for later queries.
type Resident struct {
	Device, Table, Column string
	Version               uint64    // of the table's contents
	Form                  string    // how values are stored there
	Rows, Bytes           int64     // on the device
	HostBytes             int64     // of its dictionary
	Used                  time.Time // when a query last used it
	Stays                 bool      // its table is cached: other columns are evicted first
}

// Placement counts the work of an operator on a device other than the CPU since the database was
// opened.
type Placement struct {
	Device   string // "" if the plan of a statement that asked for a device does without it
	Operator string // its name in EXPLAIN; "" for such a statement
	Runs     int64  // how often it was started there
	FellBack int64  // how often the CPU did its work
	// LastReason is why it did so the last time.
	LastReason string
}

// Setting is a name and its value, which may be NULL.
type Setting struct {
	Name, Value string
	Null        bool
}

// Process is a session as shown by PROCESSLIST.
type Process struct {
	ID         uint64
	User, Host string
	DB         string // "" if none is selected
	Command    string // "Query" or "Sleep"
	Seconds    int64  // seconds spent in this state
	State      string
	Info       string // the running statement, "" if there is none
}

// Is reports whether db is a virtual database, ignoring case.
func Is(db string) bool {
	_, ok := byName[strings.ToLower(db)]
	return ok
}

// Databases returns the names of the virtual databases.
func Databases() []string { return []string{Information, Performance} }

// Names returns the names of a virtual database's tables in order.
func Names(db string) []string {
	var out []string
	for _, d := range byName[strings.ToLower(db)] {
		out = append(out, d.name)
	}
	slices.Sort(out)
	return out
}

// Find returns a table of a virtual database, ignoring the case of names. Like MySQL, it returns
// error 1109 in information_schema and 1146 elsewhere.
func Find(inv Inventory, db, name string) (catalog.Table, error) {
	db = strings.ToLower(db)
	if d, ok := byName[db][strings.ToUpper(name)]; ok {
		return newTable(d, inv), nil
	}
	e := sqlerr.New(sqlerr.NoSuchTable, "Table '%s.%s' doesn't exist", db, name)
	if db == Information {
		e = sqlerr.New(sqlerr.UnknownTable, "Unknown table '%s' in information_schema", strings.ToUpper(name))
	}
	if near := suggest.Nearest(strings.ToUpper(name), Names(db)); near != "" {
		e = e.WithHint("Did you mean '%s'?", near)
	}
	return nil, e
}

// Denied returns the error for statements that would change a virtual database.
func Denied(user, db string) error {
	name, host, _ := strings.Cut(user, "@")
	return sqlerr.New(sqlerr.DBAccessDenied, "Access denied for user '%s'@'%s' to database '%s'", name, host, strings.ToLower(db)).
		WithHint("Its tables show the engine's state and cannot be written to.")
}
