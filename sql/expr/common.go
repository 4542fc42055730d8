package expr

import "gsql/sql/types"

// CommonType returns the type that holds values of both a and b, for UNION, CASE and COALESCE.
// Comparisons follow other rules.
func CommonType(a, b types.Type) types.Type {
	switch {
	case a == b || b.ID == types.Null:
		return a
	case a.ID == types.Null:
		return b
	case a.IsNumeric() && b.IsNumeric():
		return commonNumber(a, b)
	case a.IsTemporal() && b.IsTemporal():
		return commonTemporal(a, b)
	case a.ID == types.Bytes || b.ID == types.Bytes:
		return types.Type{ID: types.Bytes, Len: commonLen(a, b)}
	}
	t := types.Type{ID: types.String, Len: commonLen(a, b)}
	switch {
	case a.Coll == b.Coll || !b.IsString():
		t.Coll = a.Coll
	case !a.IsString():
		t.Coll = b.Coll
	}
	return t
}

func commonNumber(a, b types.Type) types.Type {
	switch {
	case a.ID == types.Float32 && b.ID == types.Float32:
		return a
	case a.IsFloat() || b.IsFloat():
		return types.T(types.Float64)
	case a.ID == types.Decimal || b.ID == types.Decimal:
		return commonDecimal(DecimalOf(a), DecimalOf(b))
	case a.ID == types.Bool && b.ID == types.Bool:
		return a
	}
	if a.IsUnsigned() == b.IsUnsigned() {
		if a.ID == types.Year || b.ID == types.Year {
			return types.T(types.Int64)
		}
		return types.T(max(a.ID, b.ID))
	}
	if a.IsUnsigned() {
		a, b = b, a
	}
	// b is unsigned: a signed type of more bits holds it; BIGINT UNSIGNED needs DECIMAL.
	switch {
	case b.ID == types.Uint64:
		return types.Dec(20, 0)
	case a.Bits() > b.Bits():
		return types.T(a.ID)
	case b.Bits() == 8:
		return types.T(types.Int16)
	case b.Bits() == 16:
		return types.T(types.Int32)
	}
	return types.T(types.Int64)
}

func commonDecimal(a, b types.Type) types.Type { return commonDigits(a, b, 0) }

func commonTemporal(a, b types.Type) types.Type {
	prec := max(a.Prec, b.Prec)
	switch {
	case a.ID == b.ID:
		return types.Type{ID: a.ID, Prec: prec}
	case a.ID == types.Timestamp && b.ID == types.Timestamp:
		return types.Type{ID: types.Timestamp, Prec: prec}
	}
	return types.Type{ID: types.Datetime, Prec: prec}
}

// commonLen returns the longer declared length, or 0 (unbounded). For types that are not strings it
// counts the characters of the printed value.
func commonLen(a, b types.Type) uint32 {
	la, lb := displayLen(a), displayLen(b)
	if la == 0 || lb == 0 {
		return 0
	}
	return max(la, lb)
}

func displayLen(t types.Type) uint32 {
	switch {
	case t.IsString():
		return t.Len
	case t.IsFloat():
		return 24
	case t.ID == types.Decimal || t.IsInteger():
		return uint32(DecimalOf(t).Prec) + 2
	}
	return 26
}

// DecimalOf returns the DECIMAL that holds every value of a numeric or temporal type. No DECIMAL
// holds all values of DOUBLE and strings; for these it returns the widest with ten digits after the
// point.
func DecimalOf(t types.Type) types.Type {
	switch t.ID {
	case types.Decimal:
		return t
	case types.Bool, types.Int8, types.Uint8:
		return types.Dec(3, 0)
	case types.Int16, types.Uint16:
		return types.Dec(5, 0)
	case types.Year:
		return types.Dec(4, 0)
	case types.Int32, types.Uint32:
		return types.Dec(10, 0)
	case types.Int64:
		return types.Dec(19, 0)
	case types.Uint64:
		return types.Dec(20, 0)
	case types.Date:
		return types.Dec(8, 0)
	case types.Datetime, types.Timestamp:
		return types.Dec(14+int(t.Prec), int(t.Prec))
	case types.Time:
		return types.Dec(7+int(t.Prec), int(t.Prec))
	}
	return types.Dec(types.MaxPrecision, 10)
}
