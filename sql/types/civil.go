package types

import "time"

// The calendar is computed as in C. Neri, L. Schneider, "Euclidean affine functions and their
// application to calendar algorithms" (2022), sections 5 and 6: years begin in March, and eras of
// 400 years are added so that all numbers are positive.
const (
	civilEras   = 82
	civilYears  = 400 * civilEras
	civilOffset = 719468 + 146097*civilEras // days from the start of the eras to 1970-01-01
	civilLimit  = 1 << 29                   // 32 bits suffice for days below this
)

// CivilDate converts days since 1970-01-01 to the proleptic Gregorian calendar.
func CivilDate(days int64) (year, month, day int) {
	if days < -civilOffset || days >= civilLimit {
		y, m, d := time.Unix(days*86400, 0).UTC().Date()
		return y, int(m), d
	}
	n := 4*uint32(days+civilOffset) + 3
	century, n := n/146097, n%146097/4
	p := 2939745 * uint64(4*n+3)
	year = int(100*century+uint32(p>>32)) - civilYears
	dayOfYear := uint32(p) / 2939745 / 4 // from March 1
	k := 2141*dayOfYear + 197913
	month, day = int(k>>16), int(k&0xffff/2141)+1
	if dayOfYear >= 306 {
		return year + 1, month - 12, day
	}
	return year, month, day
}

// Days returns the number of days from 1970-01-01 to a date.
func Days(year, month, day int) int64 {
	if month < 1 || month > 12 || year < -civilYears+1 || year > civilYears {
		return floorDiv(time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC).Unix(), 86400)
	}
	y, m := uint32(year+civilYears), uint32(month)
	if m <= 2 {
		y, m = y-1, m+12
	}
	century := y / 100
	days := 1461*uint64(y)/4 - uint64(century) + uint64(century/4) + uint64((979*m-2919)/32)
	return int64(days) + int64(day) - 1 - civilOffset
}

// WholeYear returns the YEAR that a number represents: one or two digits are a year from 1970 to
// 2069. If short is set, 0 represents 2000, as in the text '0', and not the year 0000. ok is false
// if there is no such YEAR.
func WholeYear(n int64, short bool) (year int64, ok bool) {
	switch {
	case n == 0 && short:
		return 2000, true
	case n >= 1 && n <= 69:
		return n + 2000, true
	case n >= 70 && n <= 99:
		return n + 1900, true
	}
	return n, n == 0 || n >= 1901 && n <= 2155
}
