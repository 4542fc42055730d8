// Package types describes MySQL's types as gsql implements them: their names, their Arrow storage
// types, and which of five representations expressions compute with.
package types

import (
	"fmt"
	"strings"
)

// ID identifies a MySQL type.
type ID uint8

// The types. Unsigned integers are separate types. Null is the type of a bare NULL literal and of
// an untyped parameter. String covers CHAR, VARCHAR and TEXT (utf8mb4_bin), Bytes covers BINARY,
// VARBINARY and BLOB.
const (
	Null ID = iota
	Bool
	Int8
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64
	Float32
	Float64
	Decimal
	String
	Bytes
	Date
	Datetime
	Timestamp
	Time
	Year
	JSON
	Enum
	Set
	numIDs
)

// Kind is the representation in which expressions and operators compute with a type. Storage
// keeps narrow Arrow types; scans widen them to one of these.
type Kind uint8

// The execution kinds and the payload slice of vec.Vector that holds each.
const (
	KindNull Kind = iota // no payload: every row is NULL
	KindI64              // Vector.I64: signed integers, BOOL, YEAR, DATE (days since 1970-01-01), DATETIME/TIMESTAMP (microseconds since 1970-01-01 UTC), TIME (microseconds, signed)
	KindU64              // Vector.I64 holding the bits of a uint64
	KindF64              // Vector.F64
	KindDec              // Vector.Dec: Decimal128 scaled by 10^Scale
	KindStr              // Vector.Str: UTF-8 text or bytes
)

// MaxPrecision and MaxScale limit DECIMAL. MySQL allows 65 digits, Decimal128 only 38.
const (
	MaxPrecision = 38
	MaxScale     = 30
)

// Type is a column's or expression's type. It is comparable with ==.
type Type struct {
	ID    ID
	Prec  uint8     // DECIMAL: total digits. DATETIME, TIMESTAMP, TIME: fractional second digits shown (0..6)
	Scale uint8     // DECIMAL: digits after the point
	Coll  Collation // String, Enum, Set; for Bytes that pair a text with its key, the key's collation
	Len   uint32    // String, Bytes: declared maximum in characters or bytes, 0 if unbounded
	// Members are the values of ENUM and SET.
	Members Members
	// ShownPrec and ShownScale are set for a DECIMAL that carries digits, such as a quotient:
	// expressions compute with more digits than are shown and stored. See Carrying.
	ShownPrec, ShownScale uint8
}

// T returns the plain type of an ID; use Dec for decimals.
func T(id ID) Type { return Type{ID: id} }

// Dec returns DECIMAL(p, s), clipped to MaxPrecision and MaxScale. If the total is too large,
// digits before the point are lost first.
func Dec(p, s int) Type {
	s = min(max(s, 0), MaxScale)
	p = min(max(p, s, 1), MaxPrecision)
	return Type{ID: Decimal, Prec: uint8(p), Scale: uint8(s)}
}

// Carrying returns the type of a value that expressions compute with scale digits after the
// point, but that is stored and shown as the DECIMAL t. It returns t if t has that many digits. scale
// may exceed MaxScale, but not MaxPrecision.
func (t Type) Carrying(scale int) Type {
	if scale <= int(t.Scale) {
		return t
	}
	out := t.Rescaled(min(scale, MaxPrecision))
	out.ShownPrec, out.ShownScale = t.Prec, t.Scale
	return out
}

// Rescaled returns the DECIMAL with scale digits after the point and the digits of t before it, as
// far as MaxPrecision allows.
func (t Type) Rescaled(scale int) Type {
	return Type{ID: Decimal, Prec: uint8(max(min(t.WholeDigits()+scale, MaxPrecision), 1)), Scale: uint8(scale)}
}

// Carries reports whether values of a DECIMAL have further digits that are neither stored nor
// shown.
func (t Type) Carries() bool { return t.ShownPrec != 0 }

// Shown returns the DECIMAL as which values of t are stored and shown.
func (t Type) Shown() Type {
	if !t.Carries() {
		return t
	}
	return Dec(int(t.ShownPrec), int(t.ShownScale))
}

// Unrounded returns the DECIMAL that keeps all digits that values of t carry.
func (t Type) Unrounded() Type {
	t.ShownPrec, t.ShownScale = 0, 0
	return t
}

// WholeDigits returns the number of digits before the point in the DECIMAL that t is shown as.
func (t Type) WholeDigits() int {
	t = t.Shown()
	return int(t.Prec) - int(t.Scale)
}

// Kind returns the execution kind.
func (t Type) Kind() Kind {
	switch t.ID {
	case Null:
		return KindNull
	case Uint8, Uint16, Uint32, Uint64:
		return KindU64
	case Float32, Float64:
		return KindF64
	case Decimal:
		return KindDec
	case String, Bytes, JSON, Enum, Set:
		return KindStr
	}
	return KindI64
}

// IsInteger reports whether t is BOOL, YEAR or an integer type, signed or not.
func (t Type) IsInteger() bool {
	return t.ID >= Bool && t.ID <= Uint64 || t.ID == Year
}

// IsUnsigned reports whether t is an unsigned integer type.
func (t Type) IsUnsigned() bool { return t.ID >= Uint8 && t.ID <= Uint64 }

// FitsInt64 reports whether t is a decimal whose values, scaled by 10^Scale, fit in 64-bit
// integers.
func (t Type) FitsInt64() bool { return t.ID == Decimal && t.Prec <= 18 }

// IsFloat reports whether t is FLOAT or DOUBLE.
func (t Type) IsFloat() bool { return t.ID == Float32 || t.ID == Float64 }

// IsNumeric reports whether t is an integer, float or decimal type.
func (t Type) IsNumeric() bool { return t.IsInteger() || t.IsFloat() || t.ID == Decimal }

// IsTemporal reports whether t is DATE, DATETIME, TIMESTAMP or TIME.
func (t Type) IsTemporal() bool { return t.ID >= Date && t.ID <= Time }

// IsString reports whether t is text, bytes, JSON, ENUM or SET.
func (t Type) IsString() bool { return t.Kind() == KindStr }

// Bits returns the storage width in bits of integers and floats, 0 for other types.
func (t Type) Bits() int {
	switch t.ID {
	case Bool, Int8, Uint8:
		return 8
	case Int16, Uint16, Year:
		return 16
	case Int32, Uint32, Float32, Date:
		return 32
	case Int64, Uint64, Float64, Datetime, Timestamp, Time:
		return 64
	}
	return 0
}

// Name returns MySQL's name in upper case and without parameters, as required by DatabaseTypeName
// in database/sql: "BIGINT", "UNSIGNED INT", "VARCHAR".
func (t Type) Name() string {
	switch t.ID {
	case String:
		if t.Len == 0 {
			return "TEXT"
		}
		return "VARCHAR"
	case Bytes:
		if t.Len == 0 {
			return "BLOB"
		}
		return "VARBINARY"
	}
	return names[t.ID]
}

var names = [numIDs]string{
	Null: "NULL", Bool: "BOOL", Int8: "TINYINT", Int16: "SMALLINT", Int32: "INT", Int64: "BIGINT",
	Uint8: "UNSIGNED TINYINT", Uint16: "UNSIGNED SMALLINT", Uint32: "UNSIGNED INT", Uint64: "UNSIGNED BIGINT",
	Float32: "FLOAT", Float64: "DOUBLE", Decimal: "DECIMAL", String: "VARCHAR", Bytes: "VARBINARY",
	Date: "DATE", Datetime: "DATETIME", Timestamp: "TIMESTAMP", Time: "TIME", Year: "YEAR", JSON: "JSON",
	Enum: "ENUM", Set: "SET",
}

// String formats the type as SHOW CREATE TABLE does: "bigint unsigned", "decimal(10,2)".
func (t Type) String() string {
	switch {
	case t.ID == Bool:
		return "tinyint(1)"
	case t.HasMembers():
		return strings.ToLower(t.Name()) + t.Members.list()
	case t.ID == Decimal:
		return fmt.Sprintf("decimal(%d,%d)", t.Prec, t.Scale)
	case (t.ID == String || t.ID == Bytes) && t.Len > 0:
		return fmt.Sprintf("%s(%d)", strings.ToLower(t.Name()), t.Len)
	case t.IsUnsigned():
		return strings.ToLower(strings.TrimPrefix(t.Name(), "UNSIGNED ")) + " unsigned"
	case t.IsTemporal() && t.ID != Date && t.Prec > 0:
		return fmt.Sprintf("%s(%d)", strings.ToLower(t.Name()), t.Prec)
	}
	return strings.ToLower(t.Name())
}
