package gsql

// MemoryUsed gives the bytes that queries hold.
func (db *DB) MemoryUsed() int64 { return db.mem.Used() }
