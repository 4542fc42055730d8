package csv

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/files/notation"
)

// randomNumber formats a number in one of many ways, or returns something that is almost a
// number.
func randomNumber(r *rand.Rand) string {
	some := func(n int) string { // digits
		b := make([]byte, r.IntN(n+1))
		for i := range b {
			b[i] = "0123456789"[r.IntN(10)]
		}
		return string(b)
	}
	s := []string{"", "", "", "-", "+"}[r.IntN(5)] + some([]int{3, 8, 9, 17, 21}[r.IntN(5)])
	if r.IntN(2) == 0 {
		s += "." + some([]int{3, 8, 17, 30}[r.IntN(4)])
	}
	if r.IntN(8) == 0 {
		s += []string{"e5", "E-3", "e", ".", "x", " ", "/", ":", "\xb0", "-1"}[r.IntN(10)]
	}
	return s
}

// converted returns the value of a column whose only field is text, followed by the given bytes.
// ok is false if it does not fit.
func converted(typ types.Type, text, behind string) (v *vec.Vector, ok bool) {
	d := dialect{delim: ",", lines: "\n"}
	t := newTokenizer(&d, []int32{0, -1}, 1)
	t.reset([]byte(text + "," + behind))
	v, ok = &vec.Vector{}, true
	c := newColumn(typ, false, []string{""})
	n := t.block(1)
	c.convert(t, t.spans[0], n, v, nil, func(int) { ok = false })
	return v, ok && v.Null == nil
}

// TestNumberFields compares with strconv and math/big.
func TestNumberFields(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 51))
	for round := range 6000 {
		text, behind := randomNumber(r), []string{"1.2345678901", "........", "", "-"}[round%4]
		v, ok := converted(types.T(types.Float64), text, behind)
		if want, err := strconv.ParseFloat(text, 64); ok != (err == nil) || ok && math.Float64bits(v.F64[0]) != math.Float64bits(want) {
			if len(text) == 0 || text[len(text)-1] != ' ' {
				t.Fatalf("%q is %v %v as a double, not %v", text, v.F64, ok, want)
			}
		}
		if len(text) > 0 && text[len(text)-1] == ' ' {
			continue // spaces are removed
		}
		v, ok = converted(types.T(types.Int64), text, behind)
		if want, err := strconv.ParseInt(text, 10, 64); ok != (err == nil) || ok && v.I64[0] != want {
			t.Fatalf("%q is %v %v as an integer, not %v", text, v.I64, ok, want)
		}
		checkDecimal(t, text, behind, 1+r.IntN(20), r.IntN(6))
	}
}

func checkDecimal(t *testing.T, text, behind string, prec, scale int) {
	t.Helper()
	scale = min(scale, prec)
	v, ok := converted(types.Dec(prec, scale), text, behind)
	want, valid := new(big.Rat).SetString(text)
	for _, c := range text {
		valid = valid && c != 'e' && c != 'E' && c != '/'
	}
	if valid {
		unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
		want.Mul(want, new(big.Rat).SetInt(unit))
		rounded, _ := new(big.Int).SetString(want.FloatString(0), 10) // half away from zero
		if valid = rounded.CmpAbs(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(prec)), nil)) < 0; valid && ok {
			if v.Dec[0].BigInt().Cmp(rounded) != 0 {
				t.Fatalf("%q is %v as DECIMAL(%d,%d), not %v", text, v.Dec[0], prec, scale, rounded)
			}
		}
	}
	if ok != valid {
		t.Fatalf("%q as DECIMAL(%d,%d): %v, not %v", text, prec, scale, ok, valid)
	}
}

// TestDateFields compares with package time and, if a byte was replaced, with the functions that
// read single bytes.
func TestDateFields(t *testing.T) {
	r := rand.New(rand.NewPCG(52, 52))
	for round := range 5000 {
		text := fmt.Sprintf("%04d-%02d-%02d", r.IntN(2200), r.IntN(14), r.IntN(33))
		clock := fmt.Sprintf("%02d:%02d:%02d", r.IntN(25), r.IntN(61), r.IntN(61))
		behind := []string{"1.2345678901", "", "x"}[round%3]
		day, err := time.Parse(time.DateOnly, text)
		v, ok := converted(types.T(types.Date), text, behind)
		if ok != (err == nil) || ok && v.I64[0]*86400 != day.Unix() {
			t.Fatalf("%q is %v %v, not %v", text, v.I64, ok, day)
		}
		at, err := time.Parse(time.DateTime, text+" "+clock)
		text += string(" T"[round%2]) + clock
		v, ok = converted(types.T(types.Datetime), text, behind)
		if ok != (err == nil) || ok && v.I64[0] != at.UnixMicro() {
			t.Fatalf("%q is %v %v, not %v", text, v.I64, ok, at)
		}
		b := []byte(text)
		b[r.IntN(len(b))] ^= byte(1 << r.IntN(8))
		if b[len(b)-1] == ',' {
			continue
		}
		want, digits, valid := notation.YearFirst.ParseDatetime(bytes.TrimSpace(b))
		if v, ok = converted(types.T(types.Datetime), string(b), behind); ok != (valid && digits == 0) || ok && v.I64[0] != want {
			t.Fatalf("%q is %v %v, not %v %v", b, v.I64, ok, want, valid)
		}
	}
}
