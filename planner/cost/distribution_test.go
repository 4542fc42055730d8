package cost

import (
	"math"
	"math/rand"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/types"
)

// TestDistribution uses a column of the values 0 to 100, each once, and two values a hundred
// times more often.
func TestDistribution(t *testing.T) {
	column := func(histRows int64) *Column {
		return &Column{Type: types.T(types.Float64), Lo: 0, Hi: 100, Bounded: true, base: 300,
			hist: &catalog.Histogram{Rows: histRows, Bounds: []float64{0, 25, 50, 75, 100}},
			mcv:  []catalog.ValueCount{{Value: catalog.Int(80), Rows: 120}, {Value: catalog.Int(30), Rows: 80}}}
	}
	apart, within := column(100).distribution(), column(300).distribution()
	for _, c := range []struct{ x, apart, within float64 }{
		{0, 0, 0}, {10, 10. / 300, 0.1}, {29, 29. / 300, 0.29}, {30, 110. / 300, 0.3}, {79, 159. / 300, 0.79}, {80, 280. / 300, 0.8}, {90, 290. / 300, 0.9}, {100, 1, 1},
	} {
		if got := apart.upTo(c.x); math.Abs(got-c.apart) > 1e-12 {
			t.Errorf("histogram without common values: share up to %v is %v, want %v", c.x, got, c.apart)
		}
		if got := within.upTo(c.x); math.Abs(got-c.within) > 1e-12 {
			t.Errorf("histogram of all rows: share up to %v is %v, want %v", c.x, got, c.within)
		}
	}
	for _, c := range []struct{ f, want float64 }{{0, 0}, {0.05, 15}, {0.2, 30}, {0.36, 30}, {0.5, 70}, {0.7, 80}, {0.98, 94}} {
		if got := apart.quantile(c.f); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("quantile %v is %v, want %v", c.f, got, c.want)
		}
	}
}

// TestQuantiles compares quantiles found in one pass with those found individually.
func TestQuantiles(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for range 200 {
		typ := types.T(types.Float64)
		if rng.Intn(2) == 0 {
			typ = types.T(types.Int64)
		}
		bounds := []float64{float64(rng.Intn(50))}
		for range 1 + rng.Intn(70) {
			step := float64(rng.Intn(20))
			if rng.Intn(5) == 0 {
				step *= 50
			}
			bounds = append(bounds, bounds[len(bounds)-1]+step)
		}
		lo, hi := bounds[0], bounds[len(bounds)-1]
		if lo == hi {
			continue
		}
		if rng.Intn(2) == 0 { // a filter kept part of the range
			width := hi - lo
			lo, hi = lo+math.Floor(width/4), hi-math.Floor(width/3)
		}
		c := &Column{Type: typ, Lo: lo, Hi: hi, Bounded: true, base: 1000, hist: &catalog.Histogram{Rows: 1000, Bounds: bounds}}
		if rng.Intn(3) == 0 {
			c.base, c.mcv = 1500, []catalog.ValueCount{{Value: catalog.Int(int64(lo + hi/2)), Rows: 500}}
		}
		d := c.distribution()
		for i, got := range d.quantiles(maxPieces) {
			// For whole numbers the next one is equally good if rounding decides.
			want, near := d.quantile(float64(i)/maxPieces), 1e-6*(hi-lo)
			if typ.IsInteger() {
				near++
			}
			if math.Abs(got-want) > near {
				t.Fatalf("%v within %g and %g of %v: quantile %d is %g, want %g", typ, lo, hi, c.hist, i, got, want)
			}
		}
	}
}
