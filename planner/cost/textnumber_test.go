package cost

import (
	"fmt"
	"math"
	"testing"
)

// TestNumbersOf compares with products, counted by hand, of the numbers of bytes that occur in
// each position.
func TestNumbersOf(t *testing.T) {
	var digits, names, wide []string
	for i := range 1000 {
		digits, names = append(digits, fmt.Sprintf("id%03d", i)), append(names, fmt.Sprintf("id%d", i))
	}
	for i := range 1 << 16 {
		wide = append(wide, string([]byte{byte(i), byte(i >> 8), byte(i), byte(i >> 8)}))
	}
	for _, tt := range []struct {
		name  string
		texts []string
		want  float64
	}{
		{"digits with zeros before them", digits, 1000},
		{"digits", names, 10 * 58 * 58 * 3}, // then nothing or digits, twice, and a length of 3 to 5
		{"one", []string{"x"}, 1},
		{"of several lengths", []string{"", "ab"}, 98 * 99 * 3},
		{"up to 15 bytes", []string{"0123456789abcde", "0123456789abcdf"}, 2},
		{"16 bytes", []string{"0123456789abcdef"}, 0},
		{"any bytes", wide, 0},
		{"more than 63 bits", []string{"aaaaaaaaaaaaaaa", "zzzzzzzzzzzzzzz"}, 0},
		{"63 bits are enough", []string{"aaaaaaaaaaaaaa0", "zzzzzzzzzzzzza0"}, math.Pow(26, 13)},
		{"no text", nil, 0},
	} {
		if got := numbersOf(tt.texts); got != tt.want {
			t.Errorf("%s: %g numbers, want %g", tt.name, got, tt.want)
		}
	}
}

// TestTextPrices checks which algorithm is cheapest for texts that become integers, dense or not:
// the same as for such integers, because the costs are the same after the conversion.
func TestTextPrices(t *testing.T) {
	m := Model{P: Default(2)}
	for _, build := range []float64{1e3, 1e4, 1e5, 1e6} {
		for _, span := range []float64{build, 1e12} {
			number := JoinInput{Build: build, Probe: 1e7, BuildCols: 1, ProbeCols: 1, BuildWidth: 8, ProbeWidth: 8, Out: 1e7, Pairs: 1e7, Keys: 1, Unique: true, Span: span}
			text := number
			text.BuildText, text.ProbeText, text.Numbered = 28, 28, true
			hashed := text
			hashed.Span, hashed.Numbered = 0, false
			for _, price := range []func(*JoinInput) float64{m.HashJoin, m.RadixJoin, m.MergeJoin} {
				more := (price(&text) - price(&number)) / m.par(m.P.NumberNS*(1e7+2*build), 1e7)
				if math.Abs(more-1) > 1e-9 {
					t.Errorf("%g rows, %g numbers: making them is priced %g times", build, span, more)
				}
				if price(&text) >= price(&hashed) {
					t.Errorf("%g rows, %g numbers: not cheaper than hashes", build, span)
				}
			}
		}
	}
}
