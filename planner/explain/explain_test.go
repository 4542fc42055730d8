package explain

import (
	"math"
	"testing"
)

func TestQError(t *testing.T) {
	for _, tt := range []struct {
		estimate float64
		actual   int64
		want     float64
	}{{10, 10, 1}, {10, 40, 4}, {40, 10, 4}, {0, 0, 1}, {0.2, 1, 1}, {0, 5, 5}, {1000, 0, 1000}} {
		if got := QError(tt.estimate, tt.actual); got != tt.want {
			t.Errorf("QError(%g, %d) = %g, want %g", tt.estimate, tt.actual, got, tt.want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{number(0), "0"}, {number(7), "7"}, {number(0.12345), "0.123"}, {number(123.456), "123"}, {number(1234567.8), "1234568"},
		{millis(0), "0"}, {millis(0.000051234), "0.0000512"}, {millis(1234.56), "1235"}, {millis(9.999), "10"},
		{bytes(0), ""}, {bytes(512), "512 B"}, {bytes(1536), "1.5 KiB"}, {bytes(3 << 30), "3 GiB"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
	for _, x := range []float64{0, 1, 1234567.891, 1e-9, math.Inf(1), math.NaN()} {
		if r := round(x); math.IsInf(r, 0) || math.IsNaN(r) {
			t.Errorf("round(%g) = %g has no JSON form", x, r)
		}
	}
	if got := round(1234567.891); got != 1234570 {
		t.Errorf("round to six digits gives %g", got)
	}
}
