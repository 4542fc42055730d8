package notation

import (
	"bytes"

	"gsql/sql/types"
)

// Mask is the set of types that all values of a column seen so far have.
type Mask struct {
	Can      uint16 // the types, one bit each
	Seen     bool   // there was a value that is not NULL
	Null     bool   // there was a NULL
	fraction bool   // there was a temporal value with a fraction
	slashes  bool   // there was a date with slashes
}

const (
	canInt uint16 = 1 << iota
	canWide
	canFloat
	canTime
	canBool
	canDate     // in the first form; the other forms follow
	canDatetime = canDate << dateForms
)

// Sets of types with which a Mask may begin: all, those of numbers, and those of dates and times in
// the notation of ISO 8601.
const (
	AnyType  = canDatetime<<dateForms - 1
	Numeric  = canInt | canWide | canFloat
	Temporal = canDate | canDatetime | canTime
)

// oneForm has a bit for each form of dates, or of dates with times.
const oneForm = 1<<dateForms - 1

// Add narrows the mask by one value. Numbers with leading zeros or a plus sign are codes, such as
// zip codes and telephone numbers, and remain text.
func (m *Mask) Add(b []byte) {
	m.Seen = true
	if m.Can == 0 {
		return
	}
	var can uint16
	if numeric(b) {
		can = numberMask(b)
	} else if _, ok := boolWords[string(b)]; ok && len(b) > 1 {
		can = canBool
	} else {
		can = m.temporal(b)
	}
	m.Can &= can
}

func numeric(b []byte) bool {
	if len(b) > 0 && b[0] == '-' {
		b = b[1:]
	}
	if len(b) == 0 || b[0] != '.' && b[0]-'0' > 9 {
		return false
	}
	if len(b) > 1 && b[0] == '0' && b[1]-'0' <= 9 {
		return false
	}
	_, ok := ParseFloat(b)
	return ok
}

func numberMask(b []byte) uint16 {
	if _, ok := ParseInt(b); ok {
		return canInt | canWide | canFloat
	}
	if _, ok := ParseDecimal(b, types.MaxPrecision, 0); ok && bytes.IndexByte(b, '.') < 0 {
		return canWide | canFloat
	}
	return canFloat
}

func (m *Mask) temporal(b []byte) (can uint16) {
	for f := range dateForms {
		if _, ok := f.ParseDate(b); ok {
			can |= (canDate | canDatetime) << f
		} else if _, digits, ok := f.ParseDatetime(b); ok {
			m.fraction = m.fraction || digits > 0
			can |= canDatetime << f
		}
	}
	if can != 0 {
		m.slashes = m.slashes || bytes.IndexByte(b, '/') >= 0
		return can
	}
	if _, digits, ok := ParseTime(b); ok {
		m.fraction = m.fraction || digits > 0
		return canTime
	}
	return 0
}

// Form returns the form of the dates. If days and months are ambiguous, days come first, except
// in dates with slashes.
func (m Mask) Form() DateForm {
	forms := m.Can / canDate & oneForm
	if forms == 0 {
		forms = m.Can / canDatetime & oneForm
	}
	first := []DateForm{YearFirst, monthNamed, dayFirst, monthFirst}
	if m.slashes {
		first[2], first[3] = monthFirst, dayFirst
	}
	for _, f := range first {
		if forms>>f&1 != 0 {
			return f
		}
	}
	return YearFirst
}

// Merge narrows m by the mask of the same column in another file.
func (m *Mask) Merge(o Mask) {
	m.Can &= o.Can
	m.Seen = m.Seen || o.Seen
	m.Null = m.Null || o.Null
	m.fraction = m.fraction || o.fraction
	m.slashes = m.slashes || o.slashes
}

// Type returns the narrowest type of the mask. Numbers with a fraction are DOUBLE: DECIMAL would
// require a precision that a sample cannot guarantee.
func (m Mask) Type() types.Type {
	prec := uint8(0)
	if m.fraction {
		prec = 6
	}
	switch {
	case !m.Seen:
	case m.Can&canInt != 0:
		return types.T(types.Int64)
	case m.Can&canWide != 0:
		return types.Dec(types.MaxPrecision, 0)
	case m.Can&canFloat != 0:
		return types.T(types.Float64)
	case m.Can/canDate&oneForm != 0:
		return types.T(types.Date)
	case m.Can/canDatetime&oneForm != 0:
		return types.Type{ID: types.Datetime, Prec: prec}
	case m.Can&canTime != 0:
		return types.Type{ID: types.Time, Prec: prec}
	case m.Can&canBool != 0:
		return types.T(types.Bool)
	}
	return types.T(types.String)
}
