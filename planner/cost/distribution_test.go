package cost

import (
	"math"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/types"
)

// A column of 0 to 100, each once, and two values a hundred times more.
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
