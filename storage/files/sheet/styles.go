package sheet

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// clock is what the number of a cell with a format is.
type clock uint8

const (
	plain    clock = iota // a number
	date                  // days since the epoch
	timeOnly              // a part of a day
)

// readStyles returns what the numbers of each style are.
func (a *archive) readStyles() (formats []clock, err error) {
	d, err := a.open("xl/styles.xml")
	if d == nil || err != nil {
		return nil, err
	}
	defer d.Close()
	own := map[string]clock{}
	cells := false
	for {
		e, err := d.start()
		if e == nil || err != nil {
			return formats, err
		}
		switch e.Name.Local {
		case "numFmt":
			own[attr(e, "numFmtId")] = clockOf(attr(e, "formatCode"))
		case "cellXfs":
			cells = true
		case "cellStyles", "dxfs":
			cells = false
		case "xf":
			if !cells {
				continue
			}
			id := attr(e, "numFmtId")
			c, ok := own[id]
			if !ok {
				c = builtin(id)
			}
			formats = append(formats, c)
		}
	}
}

// builtin returns what numbers of the formats are that files do not define (ECMA-376, part 1,
// 18.8.30).
func builtin(id string) clock {
	n, err := strconv.Atoi(id)
	switch {
	case err != nil:
	case n >= 14 && n <= 17, n == 22, n >= 27 && n <= 31, n == 36, n >= 50 && n <= 58:
		return date
	case n >= 18 && n <= 21, n >= 45 && n <= 47, n >= 32 && n <= 35:
		return timeOnly
	}
	return plain
}

// clockOf returns what numbers of a format are: dates if the format shows years or days, times if it
// shows hours or seconds.
func clockOf(code string) clock {
	first, _, _ := strings.Cut(code, ";")
	found := plain
	for i := 0; i < len(first); i++ {
		switch c := first[i] | 0x20; {
		case first[i] == '"':
			i = skipTo(first, i+1, '"')
		case first[i] == '\\' || first[i] == '_' || first[i] == '*':
			i++
		case first[i] == '[':
			end := skipTo(first, i+1, ']')
			inside := strings.ToLower(first[i+1 : min(end, len(first))])
			if strings.Trim(inside, "h") == "" || strings.Trim(inside, "m") == "" || strings.Trim(inside, "s") == "" {
				found = timeOnly // elapsed time
			}
			i = end
		case c == 'y' || c == 'd':
			return date
		case c == 'h' || c == 's':
			found = timeOnly
		case c == 'm' && found == plain && !strings.ContainsAny(strings.ToLower(first), "hs"):
			return date
		}
	}
	return found
}

// skipTo returns the position of the next c from i on, or the end.
func skipTo(s string, i int, c byte) int {
	if k := strings.IndexByte(s[min(i, len(s)):], c); k >= 0 {
		return i + k
	}
	return len(s)
}

// leapDay is the number of 29 February 1900, a day that Excel counts and that did not exist.
const leapDay = 60

// text returns the date and time that a number stands for. ok is false if there is none.
func (c clock) text(number string, since1904 bool) (s string, ok bool) {
	x, err := strconv.ParseFloat(number, 64)
	if err != nil || math.IsNaN(x) || x < 0 || x >= 2958466 { // the end of year 9999
		return "", false
	}
	millis := int64(math.Round(x * 86_400_000))
	if c == timeOnly && millis < 86_400_000 {
		return time.UnixMilli(millis).UTC().Format("15:04:05.999"), true
	}
	day := millis / 86_400_000
	epoch := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case since1904:
		epoch = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	case day == leapDay:
		return "", false
	case day < leapDay:
		epoch = epoch.AddDate(0, 0, 1)
	}
	at := epoch.AddDate(0, 0, int(day)).Add(time.Duration(millis%86_400_000) * time.Millisecond)
	if millis%86_400_000 == 0 {
		return at.Format(time.DateOnly), true
	}
	return at.Format("2006-01-02 15:04:05.999"), true
}
