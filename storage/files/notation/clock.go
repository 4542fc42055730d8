package notation

import "gsql/sql/types"

// datePrefix reads YYYY-MM-DD (also with / or . and with one-digit months and days) at the start
// of b as days since 1970-01-01, and returns its length, or 0 if there is none.
func datePrefix(b []byte) (days int64, n int) {
	if len(b) < 8 || b[4] != '-' && b[4] != '/' && b[4] != '.' {
		return 0, 0
	}
	y, ok := number(b[:4])
	if !ok {
		return 0, 0
	}
	m, i := shortNumber(b, 5)
	if i == 0 || i >= len(b) || b[i] != b[4] {
		return 0, 0
	}
	d, i := shortNumber(b, i+1)
	if i == 0 || m < 1 || m > 12 || d < 1 || d > DaysIn(y, m) {
		return 0, 0
	}
	return CivilDays(y, m, d), i
}

func number(b []byte) (int, bool) {
	x := 0
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		x = x*10 + int(c-'0')
	}
	return x, len(b) > 0
}

// shortNumber reads one or two digits at i and returns the offset after them, or 0 if there are
// none.
func shortNumber(b []byte, i int) (x, end int) {
	if i >= len(b) || b[i]-'0' > 9 {
		return 0, 0
	}
	x = int(b[i] - '0')
	if i++; i < len(b) && b[i]-'0' <= 9 {
		return x*10 + int(b[i]-'0'), i + 1
	}
	return x, i
}

// DaysIn returns the number of days of a month.
func DaysIn(y, m int) int {
	switch m {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if y%4 == 0 && (y%100 != 0 || y%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// CivilDays returns days since 1970-01-01 (Howard Hinnant, chrono-Compatible Low-Level Date
// Algorithms).
func CivilDays(y, m, d int) int64 {
	if m <= 2 {
		y--
		m += 12
	}
	era := y / 400
	yearOfEra := y - era*400
	dayOfYear := (153*(m-3)+2)/5 + d - 1
	return int64(era*146097+yearOfEra*365+yearOfEra/4-yearOfEra/100+dayOfYear) - 719468
}

// ParseTime reads [-]hh:mm:ss[.fraction] as microseconds, up to MySQL's 838 hours.
func ParseTime(b []byte) (us int64, digits int, ok bool) {
	negative := len(b) > 0 && b[0] == '-'
	if negative {
		b = b[1:]
	}
	us, digits, ok = parseClock(b, 839, false)
	if negative {
		us = -us
	}
	return us, digits, ok
}

func parseClock(b []byte, hours int, optionalSeconds bool) (us int64, digits int, ok bool) {
	colon := 0
	for colon < len(b) && b[colon] != ':' {
		colon++
	}
	h, ok := number(b[:colon])
	if !ok || colon > 3 || h >= hours || len(b) < colon+3 {
		return 0, 0, false
	}
	m, ok := number(b[colon+1 : colon+3])
	if !ok || m > 59 {
		return 0, 0, false
	}
	us = int64(h)*types.Hour + int64(m)*types.Minute
	b = b[colon+3:]
	if len(b) == 0 {
		return us, 0, optionalSeconds
	}
	if len(b) < 3 || b[0] != ':' {
		return 0, 0, false
	}
	s, ok := number(b[1:3])
	if !ok || s > 59 {
		return 0, 0, false
	}
	fraction, digits, ok := parseFraction(b[3:])
	return us + int64(s)*types.Second + fraction, digits, ok
}

// parseFraction reads .digits as microseconds, rounded.
func parseFraction(b []byte) (us int64, digits int, ok bool) {
	if len(b) == 0 {
		return 0, 0, true
	}
	if b[0] != '.' || len(b) > 10 {
		return 0, 0, false
	}
	digits = len(b) - 1
	x, ok := number(b[1:])
	for i := digits; i < 9; i++ {
		x *= 10
	}
	return int64(x+500) / 1000, digits, ok || digits == 0
}
