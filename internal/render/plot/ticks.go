package plot

import (
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"gsql/sql/types"
)

// tick is a place on the horizontal axis.
type tick struct {
	at    float64
	label string
}

// grid is a way to choose ticks.
type grid struct {
	step  float64 // the least distance of two ticks
	ticks func() []tick
}

// labelGap is the least number of blanks between two labels.
const labelGap = 2

// xTicks returns as many ticks at round numbers, dates or times as have room on an axis of width columns, or the ends of
// the axis if there are not two of them.
func (c *Chart) xTicks(xs interval, width int) []tick {
	var chosen []tick
	c.grids(xs, float64(labelGap+1)/float64(width), func(g grid) bool {
		if room := g.step / 2 / (xs.hi/2 - xs.lo/2) * float64(width-1); room < labelGap+1 {
			return true
		}
		ticks := g.ticks()
		for i, t := range ticks {
			if i > 0 && xs.column(t.at, width)-xs.column(ticks[i-1].at, width) < labelGap+max(utf8.RuneCountInString(t.label), utf8.RuneCountInString(ticks[i-1].label)) {
				return true
			}
		}
		chosen = ticks
		return false
	})
	if len(chosen) < 2 {
		format := c.xLabels(xs)
		return []tick{{xs.lo, format(xs.lo)}, {xs.hi, format(xs.hi)}}
	}
	return chosen
}

// grids calls yield for ways to choose ticks, the finest first, until it returns false. Finer ones than a share of the axis are left out.
func (c *Chart) grids(xs interval, finest float64, yield func(grid) bool) {
	t, isTime := c.isTime()
	if !isTime {
		least := (xs.hi/2 - xs.lo/2) * finest * 2
		if c.x < 0 || c.cols[c.x].Type.IsInteger() {
			least = max(least, 1)
		}
		rounds(least, func(step float64) bool {
			return yield(grid{step, func() []tick { return multiples(xs, step, 0, xs.numbers(step)) }})
		})
		return
	}
	unit := 1.0 // of the axis, in microseconds
	if t.ID == types.Date {
		unit = float64(types.Day)
	}
	for _, step := range clockSteps {
		if t.ID == types.Date {
			break
		}
		if !yield(grid{float64(step.Microseconds()), func() []tick { return multiples(xs, float64(step.Microseconds()), 0, clock(t, step)) }}) {
			return
		}
	}
	if t.ID == types.Time {
		rounds(1, func(step float64) bool {
			step *= float64(types.Hour)
			return step < xs.hi-xs.lo && yield(grid{step, func() []tick { return multiples(xs, step, 0, clock(t, time.Hour)) }})
		})
		return
	}
	for _, days := range []float64{1, 2, 7, 14} {
		step, monday := days*float64(types.Day)/unit, 4*float64(types.Day)/unit // 1970-01-05
		if !yield(grid{step, func() []tick { return multiples(xs, step, monday, dates(unit, "2006-01-02")) }}) {
			return
		}
	}
	c.months(xs, unit, yield)
}

// months calls yield for months, quarters, halves of a year, and years.
func (c *Chart) months(xs interval, unit float64, yield func(grid) bool) {
	at := func(months int, layout string) grid {
		return grid{28 * float64(types.Day) / unit * float64(months), func() (ticks []tick) {
			first := moment(xs.lo * unit)
			index := (first.Year()*12 + int(first.Month()) - 1) / months * months
			for ; ; index += months {
				day := time.Date(index/12, time.Month(index%12+1), 1, 0, 0, 0, 0, time.UTC)
				v := float64(day.Unix()) * 1e6 / unit
				if v > xs.hi {
					return ticks
				}
				if v >= xs.lo {
					ticks = append(ticks, tick{v, day.Format(layout)})
				}
			}
		}}
	}
	for _, months := range []int{1, 3, 6} {
		if !yield(at(months, "2006-01")) {
			return
		}
	}
	rounds(1, func(years float64) bool { return years <= 10000 && yield(at(12*int(years), "2006")) })
}

// clockSteps are the distances of ticks within a day.
var clockSteps = []time.Duration{
	time.Microsecond, 10 * time.Microsecond, 100 * time.Microsecond, time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond,
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour,
}

// multiples returns the ticks that are a multiple of step from an origin.
func multiples(xs interval, step, origin float64, format func(v float64) string) (ticks []tick) {
	first, last := math.Ceil((xs.lo-origin)/step), math.Floor((xs.hi-origin)/step)
	if math.Abs(first) > 1<<50 || math.Abs(last) > 1<<50 {
		return nil // they cannot be told apart
	}
	for i := first; i <= last; i++ {
		v := i*step + origin
		ticks = append(ticks, tick{v, format(v)})
	}
	return ticks
}

// moment returns the time that is a number of microseconds after 1970.
func moment(us float64) time.Time { return time.UnixMicro(int64(math.Round(us))).UTC() }

// dates returns a function that formats dates, which are numbers of a unit of microseconds.
func dates(unit float64, layout string) func(v float64) string {
	return func(v float64) string { return moment(v * unit).Format(layout) }
}

// clock returns a function that formats times that are a step apart.
func clock(t types.Type, step time.Duration) func(v float64) string {
	digits := 0
	for d := step; d%time.Second != 0; d *= 10 {
		digits++
	}
	return func(v float64) string {
		us := int64(math.Round(v))
		if t.ID == types.Time {
			return string(types.AppendTime(nil, us, digits))
		}
		text := string(types.AppendDatetime(nil, us, digits))
		if step%time.Minute == 0 {
			text = text[:len("2006-01-02 15:04")]
		}
		return text
	}
}

// xLabels returns a function that formats any value of the horizontal axis.
func (c *Chart) xLabels(xs interval) func(v float64) string {
	switch t, isTime := c.isTime(); {
	case !isTime:
		return xs.numbers((xs.hi/2 - xs.lo/2) / 3)
	case t.ID == types.Date:
		return dates(float64(types.Day), "2006-01-02")
	case xs.hi-xs.lo > 6*float64(types.Day) && t.ID != types.Time:
		return dates(1, "2006-01-02")
	default:
		return clock(t, time.Second)
	}
}

// below draws the horizontal axis, which begins after margin columns, and its labels.
func (c *Chart) below(xs interval, ticks []tick, margin, width int) string {
	line := []rune(strings.Repeat(" ", margin-1) + "└" + strings.Repeat("─", width))
	labels := []rune(strings.Repeat(" ", c.opt.Width))
	free := 0
	for _, t := range ticks {
		at, text := margin+xs.column(t.at, width), []rune(t.label)
		line[at] = '┬'
		from := max(min(at-len(text)/2, len(labels)-len(text)), 0)
		if from >= free && from+len(text) <= len(labels) {
			free = from + copy(labels[from:], text) + 1
		}
	}
	return string(line) + "\n" + strings.TrimRight(string(labels), " ") + "\n"
}
