package types

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/decimal128"
)

// TestDigits compares integers and decimals of all lengths with the output of packages strconv
// and big.
func TestDigits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for i := range 50_000 {
		x := int64(r.Uint64()) >> r.IntN(64)
		if edges := []int64{0, 9, 10, 99, 100, 999, math.MaxInt64, math.MinInt64, -1}; i < len(edges) {
			x = edges[i]
		}
		if got, want := string(AppendInt([]byte("x"), x)), "x"+strconv.FormatInt(x, 10); got != want {
			t.Fatalf("%s, want %s", got, want)
		}
		n := decimal128.FromI64(x)
		if r.IntN(3) == 0 {
			n = n.Mul(decimal128.FromI64(int64(r.Uint64()) >> r.IntN(64)))
		}
		scale := r.IntN(31)
		want := new(big.Int).Abs(n.BigInt()).String()
		if scale > 0 {
			want = strings.Repeat("0", max(0, scale+1-len(want))) + want
			want = want[:len(want)-scale] + "." + want[len(want)-scale:]
		}
		if n.Sign() < 0 {
			want = "-" + want
		}
		if got := string(AppendDecimal([]byte("x"), n, scale)); got != "x"+want {
			t.Fatalf("%s, want x%s", got, want)
		}
	}
}

// TestFractions formats times with each number of fractional digits.
func TestFractions(t *testing.T) {
	for us, digits := range map[int64]string{0: "000000", 1: "000001", 123456: "123456", 999999: "999999", 5000: "005000"} {
		for frac := range 7 {
			want := "00:00:07"
			if frac > 0 {
				want += "." + digits[:frac]
			}
			if got := string(AppendTime(nil, 7*Second+us, frac)); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
	}
}
