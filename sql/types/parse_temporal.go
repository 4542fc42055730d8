package types

import (
	"math"
	"strings"
)

// DaysIn returns the number of days of a month (1 to 12).
func DaysIn(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// ValidDate reports whether MySQL can store the date: years 0 to 9999, no zero month or day.
func ValidDate(year, month, day int) bool {
	return year >= 0 && year <= 9999 && month >= 1 && month <= 12 && day >= 1 && day <= DaysIn(year, month)
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// DateOf returns the date of a DATETIME in microseconds, as days since 1970-01-01. Bits below the
// lowest set bit of Day do not affect it and are shifted out. Whole days are then added to make
// the number positive, so that unsigned division rounds down.
func DateOf(us int64) int64 {
	const (
		shift = 13
		day   = uint64(Day) >> shift // odd
		days  = 1<<(63-shift)/day + 1
	)
	return int64((uint64(us>>shift)+days*day)/day - days)
}

// MaxTime is the largest TIME, 838:59:59; the smallest is its negative.
const MaxTime = 838*Hour + 59*Minute + 59*Second

// fields holds the numbers of a date and time as written.
type fields struct {
	year, month, day, hour, minute, second int
	micro                                  int64
}

func (f *fields) valid() bool {
	return ValidDate(f.year, f.month, f.day) && f.hour < 24 && f.minute < 60 && f.second < 60
}

func (f *fields) micros() int64 {
	return Days(f.year, f.month, f.day)*Day + f.clock()
}

func (f *fields) clock() int64 {
	return int64(f.hour)*Hour + int64(f.minute)*Minute + int64(f.second)*Second + f.micro
}

// ParseDatetime parses a date with or without a time of day in MySQL's lenient formats:
// '2020-1-5', '2020/01/05 7:30', '20200105T073000.25', two-digit years; any punctuation may
// separate the parts. It returns microseconds since 1970-01-01. clean is false if trailing text
// was ignored; ok is false if there is no valid date.
func ParseDatetime(s string) (us int64, clean, ok bool) {
	s = trimSpace(s)
	if us, ok := isoDatetime(s); ok {
		return us, true, true
	}
	var f fields
	n := digitPrefix(s)
	var rest string
	if n == len(s) || s[n] == '.' || n >= 6 && (s[n] == 'T' || s[n] == ' ') {
		rest, ok = f.packedDate(s, n)
	} else {
		rest, ok = f.separatedDate(s)
	}
	if !ok || !f.valid() {
		return 0, false, false
	}
	return f.micros(), trimSpace(rest) == "", true
}

// isoDatetime is the fast path for YYYY-MM-DD and YYYY-MM-DD hh:mm:ss.
func isoDatetime(s string) (us int64, ok bool) {
	if len(s) != 10 && len(s) != 19 || s[4] != '-' || s[7] != '-' {
		return 0, false
	}
	var f fields
	y1, ok1 := twoDigits(s, 0)
	y2, ok2 := twoDigits(s, 2)
	m, ok3 := twoDigits(s, 5)
	d, ok4 := twoDigits(s, 8)
	if !(ok1 && ok2 && ok3 && ok4) {
		return 0, false
	}
	f.year, f.month, f.day = y1*100+y2, m, d
	if len(s) == 19 {
		var a, b, c bool
		f.hour, a = twoDigits(s, 11)
		f.minute, b = twoDigits(s, 14)
		f.second, c = twoDigits(s, 17)
		if !(a && b && c) || s[10] != ' ' && s[10] != 'T' || s[13] != ':' || s[16] != ':' {
			return 0, false
		}
	}
	if !f.valid() {
		return 0, false
	}
	return f.micros(), true
}

func twoDigits(s string, i int) (int, bool) {
	a, b := s[i]-'0', s[i+1]-'0'
	return int(a)*10 + int(b), a <= 9 && b <= 9
}

// packedDate parses YYYYMMDD, YYMMDD, YYYYMMDDhhmmss or YYMMDDhhmmss, n digits long; a date may
// be followed by T or a space and a time.
func (f *fields) packedDate(s string, n int) (rest string, ok bool) {
	year := 4
	switch n {
	case 6, 12:
		year = 2
	case 8, 14:
	default:
		return s, false
	}
	f.year = number(s[:year])
	if year == 2 {
		f.year = century(f.year)
	}
	f.month, f.day = number(s[year:year+2]), number(s[year+2:year+4])
	rest = s[year+4:]
	if n >= 12 {
		f.hour, f.minute, f.second = number(rest[:2]), number(rest[2:4]), number(rest[4:6])
		rest = f.fraction(rest[6:])
		return rest, true
	}
	if len(rest) > 0 && (rest[0] == 'T' || rest[0] == ' ') {
		return f.timeOfDay(rest[1:]), true
	}
	return rest, true
}

// separatedDate parses year, month and day separated by punctuation, then a time.
func (f *fields) separatedDate(s string) (rest string, ok bool) {
	n := digitPrefix(s)
	if n == 0 || n > 4 {
		return s, false
	}
	f.year = number(s[:n])
	if n <= 2 {
		f.year = century(f.year)
	}
	s = s[n:]
	for _, p := range []*int{&f.month, &f.day} {
		if s == "" || !isPunct(s[0]) {
			return s, false
		}
		s = s[1:]
		n = digitPrefix(s)
		if n == 0 || n > 2 {
			return s, false
		}
		*p, s = number(s[:n]), s[n:]
	}
	if s == "" || s[0] != 'T' && !isSpace(s[0]) {
		return s, true
	}
	return f.timeOfDay(trimSpace(s[1:])), true
}

// timeOfDay parses h[:m[:s[.f]]] or hhmmss and returns the unparsed rest.
func (f *fields) timeOfDay(s string) (rest string) {
	n := digitPrefix(s)
	if n == 6 || n == 4 {
		f.hour, f.minute, s = number(s[:2]), number(s[2:4]), s[4:]
		if n == 6 {
			f.second, s = number(s[:2]), s[2:]
		}
		return f.fraction(s)
	}
	for i, p := range []*int{&f.hour, &f.minute, &f.second} {
		n = digitPrefix(s)
		if n == 0 || n > 2 {
			return s
		}
		*p, s = number(s[:n]), s[n:]
		if i == 2 {
			return f.fraction(s)
		}
		if s == "" || !isPunct(s[0]) {
			return s
		}
		if digitPrefix(s[1:]) == 0 {
			return s
		}
		s = s[1:]
	}
	return s
}

// fraction parses .digits, rounded to microseconds, and returns the unparsed rest.
func (f *fields) fraction(s string) (rest string) {
	if s == "" || s[0] != '.' {
		return s
	}
	n := digitPrefix(s[1:])
	unit := Second
	for _, c := range []byte(s[1 : 1+min(n, 6)]) {
		unit /= 10
		f.micro += int64(c-'0') * unit
	}
	if n > 6 && s[7] >= '5' {
		f.micro++
	}
	return s[1+n:]
}

// IsTemporalLiteral reports whether s is valid in a DATE, TIME or DATETIME literal: it must parse
// completely, be in range and have exactly the parts of the type.
func IsTemporalLiteral(s string, id ID) bool {
	s = trimSpace(s)
	if id == Time {
		_, clean, ok := ParseTime(s)
		return ok && clean && digitPrefix(s) < 12 && !looksLikeDate(s)
	}
	_, clean, ok := ParseDatetime(s)
	return ok && clean && hasClock(s) == (id == Datetime)
}

// hasClock reports whether the date in s is followed by a time of day.
func hasClock(s string) bool {
	i := strings.IndexAny(s, "T \t\n\v\f\r")
	return digitPrefix(s) >= 12 || i >= 0 && strings.ContainsAny(s[i:], "0123456789")
}

// ParseTime parses a TIME in MySQL's formats: '[-][D ]h:m[:s[.f]]', 'hhmmss', 'ss', or the time
// of day of a date and time. It returns signed microseconds. clean is false if text was ignored
// or the value was clipped to MaxTime; ok is false if there is no valid time.
func ParseTime(s string) (us int64, clean, ok bool) {
	s = trimSpace(s)
	if n := digitPrefix(s); n >= 12 && (n == len(s) || s[n] != ':') || looksLikeDate(s) {
		us, clean, ok = ParseDatetime(s)
		return us - DateOf(us)*Day, clean, ok
	}
	neg := s != "" && s[0] == '-'
	if neg {
		s = s[1:]
	}
	var f fields
	rest, ok := f.duration(s)
	if !ok || f.minute > 59 || f.second > 59 {
		return 0, false, false
	}
	f.hour = min(f.hour, int(MaxTime/Hour)+1)
	us, clean = f.clock(), trimSpace(rest) == ""
	if us > MaxTime {
		us, clean = MaxTime, false
	}
	if neg {
		us = -us
	}
	return us, clean, true
}

func looksLikeDate(s string) bool {
	n := digitPrefix(s)
	return n > 0 && n < len(s) && (s[n] == '-' || s[n] == '/')
}

// duration parses the time after its sign and returns the unparsed rest. f.hour includes the
// days. Numbers may have any number of leading zeros.
func (f *fields) duration(s string) (rest string, ok bool) {
	n := digitPrefix(s)
	if n == 0 {
		return s, false
	}
	days, first := 0, count(s[:n])
	if n < len(s) && s[n] == ' ' && n+1 < len(s) && isDigit(s[n+1]) {
		days, s = first, s[n+1:]
		n = digitPrefix(s)
		first = count(s[:n])
	} else if n == len(s) || s[n] == '.' {
		f.hour, f.minute, f.second = first/10000, first/100%100, first%100
		return f.fraction(s[n:]), first < math.MaxUint32
	}
	f.hour = first
	s = s[n:]
	for _, p := range []*int{&f.minute, &f.second} {
		if s == "" || s[0] != ':' {
			break
		}
		if n = digitPrefix(s[1:]); n == 0 {
			break
		}
		*p, s = count(s[1:1+n]), s[1+n:]
	}
	ok = max(days, f.hour) < math.MaxUint32
	f.hour += days * 24
	return f.fraction(s), ok
}

func isPunct(c byte) bool {
	return c > ' ' && c < 0x7f && !isDigit(c) && !(c|0x20 >= 'a' && c|0x20 <= 'z')
}

// number parses digits, which must be few enough for an int.
func number(s string) int {
	x := 0
	for i := 0; i < len(s); i++ {
		x = x*10 + int(s[i]-'0')
	}
	return x
}

// count parses digits. Numbers beyond math.MaxUint32 become it.
func count(s string) int {
	x := 0
	for i := 0; i < len(s); i++ {
		x = min(x*10+int(s[i]-'0'), math.MaxUint32)
	}
	return x
}

// century expands a two-digit year: 70 to 99 become 19xx, 00 to 69 become 20xx.
func century(y int) int {
	if y >= 70 {
		return 1900 + y
	}
	return 2000 + y
}
