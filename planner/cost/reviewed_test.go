package cost

import (
	"math/rand"
	"testing"

	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// calendar is a table of days that shows all of its rows: c1 the day, c2 the year, c3 the month, c4 the week.
type calendar struct {
	*shownTable
	reviews int
}

func (t *calendar) Review(columns []int, most int64) *vec.Batch {
	t.reviews++
	if int64(len(t.rows[0])) > most {
		return nil
	}
	b := &vec.Batch{N: len(t.rows[0])}
	for _, c := range columns {
		v := vec.NewFlat(types.T(types.Int64), b.N)
		copy(v.I64, t.rows[c])
		b.Cols = append(b.Cols, v)
	}
	return b
}

func (t *calendar) scan(base expr.ColID, preds ...expr.Expr) *logical.Scan {
	s := t.table.scan(base)
	s.Table, s.Preds = t, preds
	return s
}

const (
	yearDays  = 365
	yearCount = 200
)

func newCalendar() *calendar {
	cols := make([][]int64, 4)
	for i := range int64(yearDays * yearCount) {
		cols[0], cols[1], cols[2], cols[3] = append(cols[0], i), append(cols[1], i/yearDays), append(cols[2], i%yearDays/31), append(cols[3], i/7)
	}
	return &calendar{shownTable: &shownTable{table: newTable(cols...)}}
}

// TestFarKeys checks joins of sales in five years with parts of a calendar of two hundred.
func TestFarKeys(t *testing.T) {
	rng := rand.New(rand.NewSource(4))
	const first, n = 98, 50000
	days := uniform(rng, n, first*yearDays, (first+5)*yearDays-1)
	for i := range days { // a third of the sales are in the last two months of a year
		if i%3 == 0 {
			days[i] = days[i]/yearDays*yearDays + 305 + rng.Int63n(60)
		}
	}
	weekly := uniform(rng, n, first*yearDays/7, (first+5)*yearDays/7-1)
	for i := range weekly {
		weekly[i] *= 7
	}
	facts, dates := newTable(withNulls(rng, days, 0.04), weekly), newCalendar()
	for _, tt := range []struct {
		name   string
		preds  []expr.Expr
		keep   func(day int64) bool
		factor float64
	}{
		{"a year", []expr.Expr{call("=", col(2), num(100))}, func(d int64) bool { return d/yearDays == 100 }, 1.1},
		{"two years", []expr.Expr{call(">=", col(2), num(101)), call("<=", col(2), num(120))}, func(d int64) bool { return d/yearDays >= 101 }, 1.1},
		{"a month of a year", []expr.Expr{call("=", col(2), num(100)), call("=", col(3), num(10))}, func(d int64) bool { return d/yearDays == 100 && d%yearDays/31 == 10 }, 1.3},
		{"a month of all years", []expr.Expr{call("=", col(3), num(4))}, func(d int64) bool { return d%yearDays/31 == 4 }, 1.3},
		{"a year without sales", []expr.Expr{call("=", col(2), num(7))}, func(int64) bool { return false }, 1},
	} {
		for fact, column := range []string{"days", "weeks"} {
			var want float64
			for _, d := range facts.rows[fact] {
				if d != null && tt.keep(d) {
					want++
				}
			}
			key := call("=", col(expr.ColID(11+fact)), col(1))
			semi := &logical.Join{Kind: logical.Semi, L: facts.scan(11), R: dates.scan(1, tt.preds...), On: []expr.Expr{key}}
			within(t, "semi join with "+tt.name+", "+column, NewEstimator().Derive(semi).Rows, want, tt.factor)
			for side, j := range []*logical.Join{
				{Kind: logical.Inner, L: facts.scan(11), R: dates.scan(1, tt.preds...), On: []expr.Expr{key}},
				{Kind: logical.Inner, L: dates.scan(1, tt.preds...), R: facts.scan(11), On: []expr.Expr{key}},
			} {
				p := NewEstimator().Derive(j)
				within(t, tt.name+", "+column, p.Rows, want, tt.factor)
				if c, ok := p.Col(1); side == 0 && ok && want > 1000 && (c.Lo < first*yearDays || c.Hi >= (first+5)*yearDays) {
					t.Errorf("%s: joined days from %v to %v", tt.name, c.Lo, c.Hi)
				}
			}
		}
	}
}

// TestFarKeysUnknown checks the same join if it is not known which days are kept.
func TestFarKeysUnknown(t *testing.T) {
	rng := rand.New(rand.NewSource(5))
	facts := newTable(uniform(rng, 50000, 98*yearDays, 103*yearDays-1))
	days := newCalendar().table.scan(1) // shows no rows
	days.Preds = []expr.Expr{call("=", col(2), num(100))}
	j := &logical.Join{Kind: logical.Inner, L: facts.scan(11), R: days, On: []expr.Expr{call("=", col(11), col(1))}}
	within(t, "a year", NewEstimator().Derive(j).Rows, 10000, 1.5)
	days.Preds = nil
	within(t, "all days", NewEstimator().Derive(j).Rows, 50000, 1.1)
}

// TestDaysOfSubquery checks sales of days that a subquery over the calendar chooses, which no review of
// the calendar's rows finds.
func TestDaysOfSubquery(t *testing.T) {
	rng := rand.New(rand.NewSource(8))
	dates, years := newCalendar(), newTable([]int64{100})
	facts := newTable(uniform(rng, 50000, 98*yearDays, 103*yearDays-1))
	sold := &logical.Join{Kind: logical.Inner, L: facts.scan(11), R: dates.scan(1), On: []expr.Expr{call("=", col(11), col(1))}}
	chosen := &logical.Join{Kind: logical.Semi, L: dates.scan(21), R: years.scan(31), On: []expr.Expr{call("=", col(22), col(31))}}
	for _, kind := range []logical.JoinKind{logical.Semi, logical.Inner} {
		j := &logical.Join{Kind: kind, L: sold, R: chosen, On: []expr.Expr{call("=", col(1), col(21))}}
		within(t, "sales of a year", NewEstimator().Derive(j).Rows, 10000, 1.2)
	}
	whole := &logical.Join{Kind: logical.Semi, L: sold, R: dates.scan(21), On: []expr.Expr{call("=", col(1), col(21))}}
	within(t, "sales of all years", NewEstimator().Derive(whole).Rows, 50000, 1.1)
}

// TestWeeksOfYear checks the days of the weeks of a year: a year has 53 weeks, far fewer than as many
// random days have, and their days are found again in the sales.
func TestWeeksOfYear(t *testing.T) {
	rng := rand.New(rand.NewSource(9))
	dates := newCalendar()
	facts := newTable(uniform(rng, 50000, 98*yearDays, 103*yearDays-1))
	weeks := &logical.Join{Kind: logical.Inner, L: dates.scan(1), R: dates.scan(21, call("=", col(22), num(100))), On: []expr.Expr{call("=", col(4), col(24))}}
	p := NewEstimator().Derive(weeks)
	days, _ := p.Col(1)
	within(t, "days of a year's weeks", days.NDV, 53*7, 1.1)
	within(t, "share of the sales", MatchShare([]expr.Expr{call("=", col(11), col(1))}, NewEstimator().Derive(facts.scan(11)), p), 0.2, 1.2)
}

// TestKeptCombinations checks the number of groups by columns of a filtered calendar.
func TestKeptCombinations(t *testing.T) {
	rng := rand.New(rand.NewSource(7))
	facts := newTable(uniform(rng, 50000, 98*yearDays, 103*yearDays-1))
	is := func(year, month int64) expr.Expr {
		return call("and", call("=", col(2), num(year)), call("=", col(3), num(month)))
	}
	days := newCalendar().scan(1, call("or", call("=", col(2), num(100)), call("or", is(99, 11), is(101, 0))))
	join := &logical.Join{Kind: logical.Inner, L: facts.scan(11), R: days, On: []expr.Expr{call("=", col(11), col(1))}}
	groups := NewEstimator().Derive(&logical.Aggregate{In: join, Keys: days.Columns[1:3]})
	within(t, "years and months", groups.Rows, 14, 1.05)
}

// TestReviewedOnce checks that equal predicates are evaluated on all rows once, and not at all where
// the keys of both sides have the same range.
func TestReviewedOnce(t *testing.T) {
	rng := rand.New(rand.NewSource(6))
	days := newCalendar()
	far, near := newTable(uniform(rng, 5000, 98*yearDays, 103*yearDays-1)), newTable(uniform(rng, 5000, 0, yearCount*yearDays-1))
	join := func(facts *table, year int64) {
		NewEstimator().Derive(&logical.Join{Kind: logical.Inner, L: facts.scan(11), R: days.scan(1, call("=", col(2), num(year))), On: []expr.Expr{call("=", col(11), col(1))}})
	}
	for _, step := range []struct {
		facts *table
		year  int64
		want  int
	}{{near, 100, 0}, {far, 100, 1}, {far, 100, 1}, {far, 101, 2}} {
		if join(step.facts, step.year); days.reviews != step.want {
			t.Fatalf("%d reviews after year %d, want %d", days.reviews, step.year, step.want)
		}
	}
	var _ catalog.Reviewer = days
}
