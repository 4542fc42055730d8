package date

import (
	"strings"
	"unicode/utf8"

	"gsql/sql/cast"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/types"
)

func registerFormat() {
	kernel.Register(
		kernel.Def{Name: expr.FuncDateFormat, Bind: bindDateFormat, Total: kernel.Always},
		kernel.Def{Name: "time_format", Bind: bindTimeFormat, Total: kernel.Always},
	)
}

// mostByDay is the longest format by which texts are made ahead for many days.
const mostByDay = 1 << 10

func bindDateFormat(c *expr.Call) (kernel.Kernel, error) {
	if k, ok := c.Args[1].(*expr.Const); ok && c.Args[0].Type().ID == types.Date && k.Value.Str != "" && len(k.Value.Str) <= mostByDay {
		return kernel.ByDay(0, c.Args[0].Type(), func(rt *kernel.Runtime, days int64) string {
			rt.Buf = appendFormatted(rt.Buf[:0], k.Value.Str, days, 0, true)
			return rt.Text(rt.Buf)
		}), nil
	}
	micros := microsOf(c.Args[0].Type())
	if k, ok := c.Args[1].(*expr.Const); ok && c.Args[0].Type().ID != types.Date {
		if s := stampOfFormat(k.Value.Str); s != nil {
			return s.Kernel(c.Args[0].Type(), func(dst []byte, x int64) []byte {
				day := types.DateOf(x)
				return appendFormatted(dst, k.Value.Str, day, x-day*types.Day, true)
			}), nil
		}
	}
	return kernel.TryBinary(func(rt *kernel.Runtime, x int64, format string) (string, bool, error) {
		x = micros(x)
		day := types.DateOf(x)
		if len(format) > longFormat {
			return formatLong(rt, rt.Buf[:0], format, day, x-day*types.Day, true)
		}
		b := appendFormatted(rt.Room(cast.NumberRoom), format, day, x-day*types.Day, true)
		if long, err := rt.TooLong(len(b)); long || err != nil {
			return "", false, err
		}
		return rt.Keep(b), format != "", nil
	}), nil
}

// stampedParts are the parts of the specifiers whose texts all have the same length.
var stampedParts = map[byte][]uint8{
	'Y': {cast.PartCentury, cast.PartYear}, 'y': {cast.PartYear}, 'm': {cast.PartMonth}, 'd': {cast.PartDay}, 'H': {cast.PartHour}, 'h': {cast.PartHour12}, 'I': {cast.PartHour12},
	'i': {cast.PartMinute}, 'S': {cast.PartSecond}, 's': {cast.PartSecond}, 'f': {cast.PartMicros12, cast.PartMicros34, cast.PartMicros56},
}

// variableSpecs are the specifiers that a stamp does not support.
const variableSpecs = "abcDejklMprUuVvWwXx"

// stampOfFormat returns the stamp of a DATE_FORMAT format whose texts all have the same length, or
// nil for other formats.
func stampOfFormat(format string) *cast.Stamp {
	s := &cast.Stamp{}
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			s.Text = append(s.Text, format[i])
			continue
		}
		i++
		parts, ok := stampedParts[format[i]]
		switch {
		case ok:
			s.Add("", parts...)
		case format[i] == 'T':
			s.Add(":", cast.PartHour, cast.PartMinute, cast.PartSecond)
		case strings.IndexByte(variableSpecs, format[i]) >= 0:
			return nil
		default: // %x stands for x
			s.Text = append(s.Text, format[i])
		}
	}
	if len(s.Pairs)+len(s.Micros) == 0 || len(s.Text) > maxStamp {
		return nil
	}
	return s
}

// maxStamp is the maximum length of a stamp's texts: a batch of them is allocated in one block.
const maxStamp = 64

// bindTimeFormat binds TIME_FORMAT, which formats the parts of a date as zeros.
func bindTimeFormat(c *expr.Call) (kernel.Kernel, error) {
	clock := clockOf(c.Args[0].Type())
	return kernel.TryBinary(func(rt *kernel.Runtime, x int64, format string) (string, bool, error) {
		rt.Buf = rt.Buf[:0]
		if x = clock(x); x < 0 {
			rt.Buf, x = append(rt.Buf, '-'), -x
		}
		if len(format) > longFormat {
			return formatLong(rt, rt.Buf, format, 0, x, false)
		}
		rt.Buf = appendFormatted(rt.Buf, format, 0, x, false)
		if long, err := rt.TooLong(len(rt.Buf)); long || err != nil {
			return "", false, err
		}
		return rt.Text(rt.Buf), format != "", nil
	}), nil
}

// longFormat is the length in bytes from which formats are applied in pieces.
const longFormat = 4 << 10

// formatLong is appendFormatted for a long format. It charges for the text as it grows and checks for
// cancellation.
func formatLong(rt *kernel.Runtime, dst []byte, format string, day, clock int64, date bool) (text string, ok bool, err error) {
	const most = 6 // bytes of text for each byte of a format: %r stands for 11 bytes
	for format != "" && len(dst) <= kernel.MaxText {
		if err := rt.Cancelled(); err != nil {
			return "", false, err
		}
		n := 0
		for n < len(format) && n < longFormat {
			_, size := utf8.DecodeRuneInString(format[n:])
			if n += size; size == 1 && format[n-1] == '%' && n < len(format) {
				_, size = utf8.DecodeRuneInString(format[n:])
				n += size
			}
		}
		if dst, err = rt.Extend(dst, most*n); err != nil {
			return "", false, err
		}
		dst = appendFormatted(dst, format[:n], day, clock, date)
		format = format[n:]
	}
	return rt.Done(dst)
}

// appendFormatted formats a day and a time of day by DATE_FORMAT's specifiers (MySQL manual,
// DATE_FORMAT()). Without a date, the specifiers of a date append nothing. It stops where the text
// is longer than max_allowed_packet.
func appendFormatted(dst []byte, format string, day, clock int64, date bool) []byte {
	var c civil
	if date {
		c.year, c.month, c.day = types.CivilDate(day)
	}
	for i := 0; i < len(format) && len(dst) <= kernel.MaxText; i++ {
		if format[i] != '%' || i+1 == len(format) {
			dst = append(dst, format[i])
			continue
		}
		i++
		out, ok := appendClockPart(dst, format[i], clock)
		switch {
		case ok:
			dst = out
		case date:
			dst, ok = appendDatePart(dst, format[i], day, c)
		}
		if !ok { // %x stands for x
			_, n := utf8.DecodeRuneInString(format[i:])
			dst = append(dst, format[i:i+n]...)
			i += n - 1
		}
	}
	return dst
}

func appendClockPart(dst []byte, spec byte, clock int64) (out []byte, ok bool) {
	hour, minute, second := clock/types.Hour, clock/types.Minute%60, clock/types.Second%60
	hour12 := (hour+11)%12 + 1
	switch spec {
	case 'f':
		return appendNumber(dst, clock%types.Second, 6), true
	case 'H':
		return appendNumber(dst, hour, 2), true
	case 'h', 'I':
		return appendNumber(dst, hour12, 2), true
	case 'i':
		return appendNumber(dst, minute, 2), true
	case 'k':
		return appendNumber(dst, hour, 1), true
	case 'l':
		return appendNumber(dst, hour12, 1), true
	case 'p':
		return append(dst, half(hour)...), true
	case 'r':
		dst = append(appendNumber(dst, hour12, 2), ':')
		dst = append(appendNumber(dst, minute, 2), ':')
		return append(append(appendNumber(dst, second, 2), ' '), half(hour)...), true
	case 'S', 's':
		return appendNumber(dst, second, 2), true
	case 'T':
		return types.AppendTime(dst, clock, 0), true
	}
	return dst, false
}

func half(hour int64) string {
	if hour%24 < 12 {
		return "AM"
	}
	return "PM"
}

// civil is a date in the calendar.
type civil struct{ year, month, day int }

func appendDatePart(dst []byte, spec byte, day int64, c civil) (out []byte, ok bool) {
	year, month, d := c.year, c.month, c.day
	switch spec {
	case 'a':
		return append(dst, dayNames[weekday(day, false)][:3]...), true
	case 'b':
		return append(dst, monthNames[month-1][:3]...), true
	case 'c':
		return appendNumber(dst, int64(month), 1), true
	case 'D':
		return append(appendNumber(dst, int64(d), 1), ordinal(d)...), true
	case 'd':
		return appendNumber(dst, int64(d), 2), true
	case 'e':
		return appendNumber(dst, int64(d), 1), true
	case 'j':
		return appendNumber(dst, dayOfYear(day), 3), true
	case 'M':
		return append(dst, monthNames[month-1]...), true
	case 'm':
		return appendNumber(dst, int64(month), 2), true
	case 'W':
		return append(dst, dayNames[weekday(day, false)]...), true
	case 'w':
		return appendNumber(dst, weekday(day, true), 1), true
	case 'Y':
		return appendNumber(dst, int64(year), 4), true
	case 'y':
		return appendNumber(dst, int64(year%100), 2), true
	}
	return appendWeekPart(dst, spec, day)
}

// weekSpecs holds the modes of WEEK of the specifiers of weeks and their years.
var weekSpecs = map[byte]int64{'U': 0, 'u': 1, 'V': 2, 'v': 3, 'X': 2, 'x': 3}

func appendWeekPart(dst []byte, spec byte, day int64) (out []byte, ok bool) {
	mode, ok := weekSpecs[spec]
	if !ok {
		return dst, false
	}
	week, year := weekOf(day, weekMode(mode))
	if spec|0x20 == 'x' {
		return appendNumber(dst, year, 4), true
	}
	return appendNumber(dst, week, 2), true
}

// ordinal returns the English ordinal suffix of a day.
func ordinal(d int) string {
	if d/10 != 1 {
		switch d % 10 {
		case 1:
			return "st"
		case 2:
			return "nd"
		case 3:
			return "rd"
		}
	}
	return "th"
}

// appendNumber appends x with leading zeros.
func appendNumber(dst []byte, x int64, width int) []byte {
	for unit := int64(1); width > 1; width-- {
		if unit *= 10; x < unit {
			dst = append(dst, "000000"[:width-1]...)
			break
		}
	}
	return types.AppendInt(dst, x)
}
