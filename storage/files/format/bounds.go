package format

import (
	"gsql/sql/catalog"
	"gsql/sql/types"
)

// Comparable reports whether d can be compared with values of type t by Datum.Compare.
func Comparable(t types.Type, d *catalog.Datum) bool {
	if d == nil || d.Null || d.Type.Kind() != t.Kind() || t.Kind() == types.KindNull {
		return false
	}
	if t.Kind() == types.KindI64 && t.IsTemporal() {
		datetime := func(id types.ID) bool { return id == types.Datetime || id == types.Timestamp }
		return d.Type.ID == t.ID || datetime(d.Type.ID) && datetime(t.ID)
	}
	return !d.Type.IsTemporal() && (t.ID != types.Decimal || d.Type.Scale == t.Scale)
}

// Lesser returns the lesser of two values, or a if they are equal.
func Lesser(a, b *catalog.Datum) *catalog.Datum {
	if b.Compare(*a) < 0 {
		return b
	}
	return a
}

// Greater returns the greater of two values, or a if they are equal.
func Greater(a, b *catalog.Datum) *catalog.Datum {
	if b.Compare(*a) > 0 {
		return b
	}
	return a
}
