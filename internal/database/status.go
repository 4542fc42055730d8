package database

import (
	"strconv"
	"time"

	"gsql/sql/infoschema"
	"gsql/storage/vfs"
)

// Status returns what SHOW STATUS lists.
func (db *DB) Status() []infoschema.Setting {
	connected, running := 0, 0
	for _, p := range db.Processes.All() {
		connected++
		if p.Describe().Command == "Query" {
			running++
		}
	}
	number := func(name string, n int64) infoschema.Setting {
		return infoschema.Setting{Name: name, Value: strconv.FormatInt(n, 10)}
	}
	up := int64(time.Since(db.Opened).Seconds())
	return []infoschema.Setting{
		number("Connections", int64(db.Processes.Started())),
		number("Gsql_log_bytes", db.Store.LogBytes()),
		number("Gsql_memory_peak", db.Mem.Peak()),
		number("Gsql_memory_used", db.Mem.Used()),
		number("Gsql_syncs", vfs.Syncs()),
		number("Gsql_table_bytes", db.Store.Bytes()),
		number("Queries", db.Statements.Load()),
		number("Questions", db.Statements.Load()),
		{Name: "Ssl_cipher"}, {Name: "Ssl_version"},
		number("Threads_connected", int64(connected)),
		number("Threads_running", int64(running)),
		number("Uptime", up),
		number("Uptime_since_flush_status", up),
	}
}
