package storage

import "gsql/sql/catalog"

// Summary implements catalog.Summarizer.
func (v *version) Summary() catalog.Summary {
	return catalog.Summary{Rows: v.rows(), Bytes: v.memory(), NextID: v.auto.Load() + 1, Created: v.created}
}
