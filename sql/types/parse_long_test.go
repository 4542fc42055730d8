package types

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// TestLongNumbers compares the doubles of very long numbers with those of math/big. strconv loses
// digits of integers of more than 800.
func TestLongNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	digits := func(n int) string {
		b := make([]byte, n)
		kind := r.IntN(4)
		for i := range b {
			switch b[i] = '0' + byte(r.IntN(10)); {
			case kind == 0, kind == 1 && i < n-1:
				b[i] = '0'
			case kind == 2 && i < n/2:
				b[i] = '0'
			}
		}
		return string(b)
	}
	texts := []string{
		"9007199254740993." + strings.Repeat("0", 5000), "9007199254740993." + strings.Repeat("0", 5000) + "1", // the middle of two doubles
		"-0." + strings.Repeat("0", 320) + strings.Repeat("7", 5000), strings.Repeat("1", 5000), "-" + strings.Repeat("1", 5000) + "e-4990",
		"." + strings.Repeat("0", 5000) + "123e5001", strings.Repeat("0", 6000), "-" + strings.Repeat("0", 6000) + ".0e7", "1" + strings.Repeat("0", 5000) + "e-99999999999999999999",
	}
	for range 300 {
		s := []string{"", "-", "+"}[r.IntN(3)] + digits(1+r.IntN(5000))
		if r.IntN(2) == 0 {
			s += "." + digits(1+r.IntN(5000))
		}
		if r.IntN(2) == 0 {
			s += "e" + strconv.Itoa(r.IntN(12000)-6000)
		}
		texts = append(texts, s)
	}
	for _, s := range texts {
		exact, _, err := big.ParseFloat(strings.Replace(s, "e-99999999999999999999", "e-99999", 1), 10, 40_000, big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := exact.Float64()
		got, err := strconv.ParseFloat(shortened(s), 64)
		if got != want || (err != nil) != math.IsInf(want, 0) {
			t.Fatalf("%.40s... of %d: %v (%v), want %v", s, len(s), got, err, want)
		}
	}
}
