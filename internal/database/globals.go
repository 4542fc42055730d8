package database

import (
	"context"
	"maps"

	"gsql/internal/mem"
	"gsql/sql/sqlerr"
	"gsql/sql/sysvar"
)

// deviceLimit is the variable that limits the memory of devices, which all sessions of the process
// share.
const deviceLimit = "gsql_gpu_memory_limit"

// Globals returns a copy of the values that a new session starts with, where they differ
// from the defaults.
func (db *DB) Globals() map[string]string { return maps.Clone(*db.globals.Load()) }

// Global returns the global value of a system variable.
func (db *DB) Global(v *sysvar.Var) string {
	if value, _, ok := db.FileVariable(v.Name); ok {
		return value
	}
	if value, ok := (*db.globals.Load())[v.Name]; ok {
		return value
	}
	return v.Default
}

// SetGlobal sets the checked value that sessions created from now on start with.
func (db *DB) SetGlobal(name, value string) {
	db.globalsMu.Lock()
	defer db.globalsMu.Unlock()
	next := db.Globals()
	if next == nil {
		next = map[string]string{}
	}
	next[name] = value
	db.globals.Store(&next)
}

// SetDeviceLimit applies gsql_gpu_memory_limit to all sessions, since they share the devices. The
// error is 1231 for a value that is not a size.
func (db *DB) SetDeviceLimit(ctx context.Context, value string) error {
	bytes, err := mem.ParseSize(value)
	if err != nil {
		return sqlerr.New(sqlerr.WrongValueForVar, "Variable '%s' can't be set to the value of '%s'", deviceLimit, value)
	}
	return db.Devices.SetLimit(ctx, bytes)
}
