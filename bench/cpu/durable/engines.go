package durable

import (
	"fmt"
	"net/url"

	_ "github.com/duckdb/duckdb-go/v2" // the driver duckdb
	_ "github.com/mattn/go-sqlite3"    // the driver sqlite3

	"gsql"
)

// Names of engines, which are those of their drivers.
const (
	ours   = "gsql"
	duckdb = "duckdb"
	sqlite = "sqlite3"
)

// settings describe a database to open.
type settings struct {
	Engine  string
	Path    string // "" keeps the tables in memory
	Threads int
	Memory  int64  // limit in bytes; 0 for the engine's default
	Sync    string // full, normal or off
	KeepLog bool   // no checkpoints by the size of the log; gsql always makes them
}

// dsn returns the data source name.
func (s *settings) dsn() string {
	options := url.Values{}
	switch s.Engine {
	case ours:
		c := gsql.Config{Path: s.Path, Workers: s.Threads, MemoryLimit: s.Memory}
		if s.Sync != "" {
			c.Variables = map[string]string{"gsql_sync": s.Sync}
		}
		return c.FormatDSN()
	case duckdb:
		options.Set("threads", fmt.Sprint(s.Threads))
		if s.Memory > 0 {
			options.Set("memory_limit", fmt.Sprintf("%dMiB", s.Memory>>20))
		}
		if s.KeepLog {
			options.Set("checkpoint_threshold", "64GB")
		}
		return s.Path + "?" + options.Encode()
	}
	sync := s.Sync
	if sync == "" {
		sync = "full"
	}
	for name, value := range map[string]string{"_journal_mode": "wal", "_synchronous": sync, "_busy_timeout": "600000", "_txlock": "immediate"} {
		options.Set(name, value)
	}
	return "file:" + s.Path + "?" + options.Encode()
}

// parquet returns how a statement names a Parquet file.
func parquet(engine, path string) string {
	if engine == ours {
		return "`" + path + "`"
	}
	return "'" + path + "'"
}
