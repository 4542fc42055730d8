package cast

import "gsql/sql/types"

// SameValues reports whether casting from one type to another leaves all values unchanged.
func SameValues(from, to types.Type) bool {
	switch {
	case from.Kind() != to.Kind():
		return false
	case from.Kind() == types.KindDec:
		return from.Scale == to.Scale && from.Prec-from.Scale <= to.Prec-to.Scale
	case from.IsTemporal() || to.IsTemporal():
		a, b := from.ID, to.ID
		if a == types.Timestamp {
			a = types.Datetime
		}
		if b == types.Timestamp {
			b = types.Datetime
		}
		return a == b && (a == types.Date || from.Prec <= to.Prec)
	case to.ID == types.JSON:
		return from.ID == types.JSON
	case to.HasMembers():
		return from == to
	case from.ID == types.Bytes && to.ID == types.String: // not all bytes are valid text
		return false
	case from.Kind() == types.KindStr:
		return to.Len == 0 || from.Len > 0 && from.Len <= to.Len && from.ID != types.Bytes
	case from.Kind() == types.KindF64:
		return to.ID == types.Float64 || from.ID == types.Float32
	}
	return to.Bits() >= from.Bits() && to.ID != types.Year
}
