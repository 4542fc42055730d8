package date

import (
	"strconv"
	"strings"

	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

func registerStrtodate() { kernel.Register(kernel.Def{Name: "str_to_date", Bind: bindStrToDate}) }

// dateReader parses text by the specifiers of DATE_FORMAT (MySQL manual, STR_TO_DATE()).
type dateReader struct {
	rest string

	year, month, day, yearDay, weekDay int // weekDay: 1 Monday to 7 Sunday
	week                               int // -1: none
	weekSpec                           byte
	weekYear                           int
	hour, minute, second               int
	micro                              int64
	twelve                             bool // the hour is on the 12-hour clock
	afternoon                          int  // 12 for PM
}

func bindStrToDate(c *expr.Call) (kernel.Kernel, error) {
	to := c.T
	return kernel.TryBinary(func(rt *kernel.Runtime, s, format string) (int64, bool, error) {
		r := dateReader{rest: s, week: -1}
		us, ok := r.read(format, to)
		switch {
		case !ok:
			rt.Warn(sqlerr.WrongValueForType, "Incorrect datetime value: '%s' for function str_to_date", s)
		case strings.TrimSpace(r.rest) != "":
			rt.Truncated(strings.ToLower(to.Name()), s)
		}
		return us, ok, nil
	}), nil
}

// read parses the text and returns the value in the type to.
func (r *dateReader) read(format string, to types.Type) (v int64, ok bool) {
	if !r.scan(format) || !r.halfDay() || r.hour > 23 || r.minute > 59 || r.second > 59 {
		return 0, false
	}
	clock := int64(r.hour)*types.Hour + int64(r.minute)*types.Minute + int64(r.second)*types.Second + r.micro
	if to.ID == types.Time {
		return clock, true
	}
	day, ok := r.date()
	if to.ID != types.Date {
		day = day*types.Day + clock
	}
	return day, ok
}

// scan parses until the format or the text ends.
func (r *dateReader) scan(format string) bool {
	for i := 0; i < len(format); i++ {
		r.rest = strings.TrimLeft(r.rest, " \t\n\v\f\r")
		if r.rest == "" {
			return true
		}
		switch c := format[i]; {
		case c == '%' && i+1 < len(format):
			i++
			if !r.part(format[i]) {
				return false
			}
		case c == ' ' || c >= '\t' && c <= '\r':
		case r.rest[0] != c:
			return false
		default:
			r.rest = r.rest[1:]
		}
	}
	return true
}

// part parses the value of one specifier.
func (r *dateReader) part(spec byte) bool {
	switch spec {
	case 'Y':
		before := len(r.rest)
		ok := r.number(&r.year, 4)
		if before-len(r.rest) <= 2 {
			r.year = int(fullYear(int64(r.year)))
		}
		return ok
	case 'y':
		ok := r.number(&r.year, 2)
		r.year = int(fullYear(int64(r.year)))
		return ok
	case 'm', 'c':
		return r.number(&r.month, 2)
	case 'd', 'e':
		return r.number(&r.day, 2)
	case 'D':
		ok := r.number(&r.day, 2)
		r.rest = r.rest[min(2, len(r.rest)):]
		return ok
	case 'j':
		return r.number(&r.yearDay, 3)
	case 'M', 'b':
		return r.word(&r.month, monthNames, spec == 'b')
	case 'W', 'a':
		return r.word(&r.weekDay, dayNames, spec == 'a')
	case 'w':
		ok := r.number(&r.weekDay, 1)
		if r.weekDay == 0 {
			r.weekDay = 7
		}
		return ok && r.weekDay <= 7
	case 'U', 'u', 'V', 'v':
		r.weekSpec = spec
		return r.number(&r.week, 2) && r.week <= 53 && (spec|0x20 == 'u' || r.week > 0)
	case 'X', 'x':
		return r.number(&r.weekYear, 4)
	}
	return r.clockPart(spec)
}

func (r *dateReader) clockPart(spec byte) bool {
	switch spec {
	case 'H', 'k':
		return r.number(&r.hour, 2)
	case 'h', 'I', 'l':
		r.twelve = true
		return r.number(&r.hour, 2)
	case 'i':
		return r.number(&r.minute, 2)
	case 'S', 's':
		return r.number(&r.second, 2)
	case 'f':
		n := r.digits(6)
		var x int
		ok := r.number(&x, 6)
		r.micro = int64(x)
		for ; n < 6; n++ {
			r.micro *= 10
		}
		return ok
	case 'p':
		if len(r.rest) < 2 || !r.twelve {
			return false
		}
		mark := strings.ToUpper(r.rest[:2])
		if r.rest = r.rest[2:]; mark == "PM" {
			r.afternoon = 12
		}
		return mark == "AM" || mark == "PM"
	case 'r':
		return r.scan("%I:%i:%S %p")
	case 'T':
		return r.scan("%H:%i:%S")
	}
	return r.skip(spec)
}

// skip skips punctuation (%.), letters (%@), digits (%#) or a percent sign.
func (r *dateReader) skip(spec byte) bool {
	var in func(c rune) bool
	switch spec {
	case '.':
		in = func(c rune) bool { return c > ' ' && c < 0x7f && !isLetter(c) && (c < '0' || c > '9') }
	case '@':
		in = isLetter
	case '#':
		in = func(c rune) bool { return c >= '0' && c <= '9' }
	default:
		return false
	}
	r.rest = strings.TrimLeftFunc(r.rest, in)
	return true
}

func isLetter(c rune) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// digits returns the number of digits that follow, at most width.
func (r *dateReader) digits(width int) int { return leading(r.rest[:min(len(r.rest), width)], true) }

// number parses between one and width digits.
func (r *dateReader) number(x *int, width int) bool {
	n := r.digits(width)
	v, err := strconv.Atoi(r.rest[:n])
	*x, r.rest = v, r.rest[n:]
	return err == nil
}

// word parses a name, or its first three letters, in any case. It returns the name's number,
// counted from 1.
func (r *dateReader) word(x *int, names []string, short bool) bool {
	for i, name := range names {
		if short {
			name = name[:3]
		}
		if len(r.rest) >= len(name) && strings.EqualFold(r.rest[:len(name)], name) {
			*x, r.rest = i+1, r.rest[len(name):]
			return true
		}
	}
	return false
}

func (r *dateReader) halfDay() bool {
	if !r.twelve {
		return true
	}
	ok := r.hour >= 1 && r.hour <= 12
	r.hour = r.hour%12 + r.afternoon
	return ok
}

// date returns the day given by the day of a year, week or month.
func (r *dateReader) date() (day int64, ok bool) {
	switch {
	case r.yearDay > 0:
		day = types.Days(r.year, 1, 1) + int64(r.yearDay) - 1
		return day, day >= firstDate && day <= lastDate
	case r.week >= 0 && r.weekDay > 0:
		return r.dayOfWeek()
	}
	return types.Days(r.year, r.month, r.day), types.ValidDate(r.year, r.month, r.day)
}

// dayOfWeek returns the day of a numbered week. %V and %v require the year of %X and %x; %U and %u
// count the weeks of %Y.
func (r *dateReader) dayOfWeek() (day int64, ok bool) {
	sunday, strict := r.weekSpec < 'a', r.weekSpec|0x20 == 'v'
	year := r.year
	if strict {
		year = r.weekYear
	}
	if strict != (r.weekYear > 0) || year > 9999 {
		return 0, false
	}
	day = types.Days(year, 1, 1)
	start := weekday(day, sunday)
	if sunday {
		if start > 0 {
			day += 7 - start
		}
		day += int64(r.week-1)*7 + int64(r.weekDay%7)
	} else {
		if start <= 3 {
			day -= start
		} else {
			day += 7 - start
		}
		day += int64(r.week-1)*7 + int64(r.weekDay-1)
	}
	return day, day >= firstDate && day <= lastDate
}
