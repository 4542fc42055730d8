package notation

import (
	"bytes"

	"gsql/sql/types"
)

// DateForm is the notation of dates in a column. All of its values use the same one.
type DateForm uint8

// The zero DateForm is YearFirst, as in ISO 8601; the others are found by a Mask.
const (
	YearFirst  DateForm = iota // 2019-06-05, with / or . too
	dayFirst                   // 05/06/2019, with - or . too
	monthFirst                 // 06/05/2019, with - or . too
	monthNamed                 // 5-Jun-2019, 5 June 2019, Jun 5, 2019
	dateForms
)

// String returns the form as DESCRIBE shows it.
func (f DateForm) String() string { return formNames[f] }

var formNames = [dateForms]string{dayFirst: "dates as day/month/year", monthFirst: "dates as month/day/year", monthNamed: "dates with names of months"}

// prefix reads a date at the start of b and returns its length, or 0 if there is none.
func (f DateForm) prefix(b []byte) (days int64, n int) {
	switch f {
	case dayFirst, monthFirst:
		return f.numbers(b)
	case monthNamed:
		return namedDate(b)
	}
	return datePrefix(b)
}

// numbers reads two numbers of one or two digits and a year.
func (f DateForm) numbers(b []byte) (days int64, n int) {
	d, i := shortNumber(b, 0)
	if i == 0 || i >= len(b) || b[i] != '/' && b[i] != '-' && b[i] != '.' {
		return 0, 0
	}
	sep := b[i]
	m, i := shortNumber(b, i+1)
	if i == 0 || i >= len(b) || b[i] != sep {
		return 0, 0
	}
	if f == monthFirst {
		d, m = m, d
	}
	return dateOf(b, i+1, m, d)
}

// dateOf reads the year of a date at i and combines it with month and day.
func dateOf(b []byte, i, m, d int) (days int64, n int) {
	if len(b) < i+4 || len(b) > i+4 && b[i+4]-'0' <= 9 {
		return 0, 0
	}
	y, ok := number(b[i : i+4])
	if !ok || m < 1 || m > 12 || d < 1 || d > DaysIn(y, m) {
		return 0, 0
	}
	return CivilDays(y, m, d), i + 4
}

// namedDate reads a date of a day and the name of a month, in either order, and a year.
func namedDate(b []byte) (days int64, n int) {
	if len(b) == 0 {
		return 0, 0
	}
	if b[0]-'0' > 9 {
		m, i := monthName(b, 0)
		d, i := shortNumber(b, pastGap(b, i))
		if m == 0 || i == 0 {
			return 0, 0
		}
		return dateOf(b, pastGap(b, i), m, d)
	}
	d, i := shortNumber(b, 0)
	m, i := monthName(b, pastGap(b, i))
	if m == 0 {
		return 0, 0
	}
	return dateOf(b, pastGap(b, i), m, d)
}

// pastGap returns the offset after any separators between the parts of a date.
func pastGap(b []byte, i int) int {
	for end := i + 2; i < len(b) && i < end && bytes.IndexByte([]byte("-/. ,"), b[i]) >= 0; {
		i++
	}
	return i
}

var monthNames = [12]string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}

// monthName reads a month's name or its first three letters.
func monthName(b []byte, i int) (m, end int) {
	for end = i; end < len(b) && (b[end]|0x20) >= 'a' && (b[end]|0x20) <= 'z'; {
		end++
	}
	word := string(bytes.ToLower(b[i:end]))
	for k, name := range monthNames {
		if word == name || len(word) == 3 && word == name[:3] {
			return k + 1, end
		}
	}
	return 0, end
}

// ParseDate reads a date as days since 1970-01-01.
func (f DateForm) ParseDate(b []byte) (int64, bool) {
	days, n := f.prefix(b)
	return days, n > 0 && n == len(b)
}

// ParseDatetime reads a date, or a date and a time of day separated by a space or T,
// as microseconds since 1970-01-01. digits is the length of the fraction.
func (f DateForm) ParseDatetime(b []byte) (us int64, digits int, ok bool) {
	days, n := f.prefix(b)
	if n == 0 {
		return 0, 0, false
	}
	if n == len(b) {
		return days * types.Day, 0, true
	}
	if b[n] != ' ' && b[n] != 'T' {
		return 0, 0, false
	}
	clock, noon := b[n+1:], false
	if f == YearFirst {
		clock = bytes.TrimSuffix(clock, []byte("Z"))
	} else if clock, noon, ok = halfDay(clock); !ok {
		return 0, 0, false
	}
	us, digits, ok = parseClock(clock, 24, true)
	if noon {
		us += 12 * types.Hour
	}
	return days*types.Day + us, digits, ok
}

// halfDay removes AM or PM from a time of day and turns hour 12 into 0. noon reports whether twelve hours
// must be added.
func halfDay(clock []byte) (_ []byte, noon, ok bool) {
	if len(clock) < 3 || clock[len(clock)-1]|0x20 != 'm' {
		return clock, false, true
	}
	half := clock[len(clock)-2] | 0x20
	clock = bytes.TrimRight(clock[:len(clock)-2], " ")
	h, end := shortNumber(clock, 0)
	if half != 'a' && half != 'p' || end == 0 || h < 1 || h > 12 {
		return nil, false, false
	}
	if h == 12 {
		clock = append([]byte("0"), clock[end:]...)
	}
	return clock, half == 'p', true
}
