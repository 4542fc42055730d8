package ptx

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
)

func ofFloat(f float64) uint64 { return math.Float64bits(f) }

func float(x uint64) float64 { return math.Float64frombits(x) }

// signed returns the number that the bits of a signed type represent.
func signed(typ string, x uint64) int64 {
	if width(typ) == 4 {
		return int64(int32(x))
	}
	return int64(x)
}

// comparisons maps each comparison to whether it holds for numbers that are less, equal, or
// greater. Doubles may be none of these.
var comparisons = map[string]func(less, equal, greater bool) bool{
	"eq": func(_, e, _ bool) bool { return e },
	"ne": func(l, _, g bool) bool { return l || g },
	"lt": func(l, _, _ bool) bool { return l },
	"le": func(l, e, _ bool) bool { return l || e },
	"gt": func(_, _, g bool) bool { return g },
	"ge": func(_, e, g bool) bool { return e || g },
}

func compare(typ string, x, y uint64) (less, equal, greater bool) {
	switch typ {
	case "f64":
		a, b := float(x), float(y)
		return a < b, a == b, a > b
	case "s32", "s64":
		a, b := signed(typ, x), signed(typ, y)
		return a < b, a == b, a > b
	}
	return x < y, x == y, x > y
}

// operations holds the instructions whose result has the type of their operands.
var operations = map[string]func(typ string, x *[3]uint64) (uint64, error){
	"and": func(_ string, x *[3]uint64) (uint64, error) { return x[0] & x[1], nil },
	"or":  func(_ string, x *[3]uint64) (uint64, error) { return x[0] | x[1], nil },
	"xor": func(_ string, x *[3]uint64) (uint64, error) { return x[0] ^ x[1], nil },
	"not": func(typ string, x *[3]uint64) (uint64, error) {
		if typ == "pred" {
			return 1 - x[0], nil
		}
		return ^x[0], nil
	},
	"add": sum(func(a, b uint64) uint64 { return a + b }, func(a, b float64) float64 { return a + b }),
	"sub": sum(func(a, b uint64) uint64 { return a - b }, func(a, b float64) float64 { return a - b }),
	"mul": sum(func(a, b uint64) uint64 { return a * b }, func(a, b float64) float64 { return a * b }),
	"neg": func(typ string, x *[3]uint64) (uint64, error) {
		if typ == "f64" {
			return x[0] ^ 1<<63, nil
		}
		return -x[0], nil
	},
	"abs": func(typ string, x *[3]uint64) (uint64, error) {
		if typ == "f64" {
			return x[0] &^ (1 << 63), nil
		}
		return uint64(max(signed(typ, x[0]), -signed(typ, x[0]))), nil
	},
	"sqrt": func(_ string, x *[3]uint64) (uint64, error) { return ofFloat(math.Sqrt(float(x[0]))), nil },
	"min":  func(typ string, x *[3]uint64) (uint64, error) { return extreme(typ, x[0], x[1], true), nil },
	"max":  func(typ string, x *[3]uint64) (uint64, error) { return extreme(typ, x[0], x[1], false), nil },
	"div":  quotient(func(a, b int64) int64 { return a / b }),
	"rem":  quotient(func(a, b int64) int64 { return a % b }),
	"shl": func(typ string, x *[3]uint64) (uint64, error) {
		if x[1] >= uint64(8*width(typ)) {
			return 0, nil
		}
		return x[0] << x[1], nil
	},
	"shr": func(typ string, x *[3]uint64) (uint64, error) {
		most := uint64(8*width(typ) - 1)
		if typ[0] == 's' {
			return uint64(signed(typ, x[0]) >> min(x[1], most)), nil
		}
		if x[1] > most {
			return 0, nil
		}
		return x[0] >> x[1], nil
	},
	"bfe": func(typ string, x *[3]uint64) (uint64, error) {
		if typ != "u32" || x[1]+x[2] > 32 {
			return 0, fmt.Errorf("bfe.%s of %d bits from %d", typ, x[2], x[1])
		}
		return x[0] >> x[1] & (1<<x[2] - 1), nil
	},
	"popc": func(_ string, x *[3]uint64) (uint64, error) { return uint64(bits.OnesCount64(x[0])), nil },
	"brev": func(_ string, x *[3]uint64) (uint64, error) { return uint64(bits.Reverse32(uint32(x[0]))), nil },
	"clz":  func(_ string, x *[3]uint64) (uint64, error) { return uint64(bits.LeadingZeros32(uint32(x[0]))), nil },
}

func sum(ints func(a, b uint64) uint64, floats func(a, b float64) float64) func(string, *[3]uint64) (uint64, error) {
	return func(typ string, x *[3]uint64) (uint64, error) {
		if typ == "f64" {
			return ofFloat(floats(float(x[0]), float(x[1]))), nil
		}
		return ints(x[0], x[1]), nil
	}
}

// extreme returns the smaller or the larger of two numbers; of a number and NaN, the number. Zero
// is greater than minus zero.
func extreme(typ string, a, b uint64, least bool) uint64 {
	if typ == "f64" && float(a) == 0 && float(b) == 0 {
		if least {
			return a | b
		}
		return a & b
	}
	less, _, greater := compare(typ, a, b)
	if less && !least || greater && least || typ == "f64" && math.IsNaN(float(a)) {
		return b
	}
	return a
}

var errZero = errors.New("division by zero")

func quotient(f func(a, b int64) int64) func(string, *[3]uint64) (uint64, error) {
	return func(typ string, x *[3]uint64) (uint64, error) {
		switch {
		case typ == "f64":
			return ofFloat(float(x[0]) / float(x[1])), nil
		case typ[0] != 's':
			return 0, fmt.Errorf("a quotient of type %s", typ)
		case x[1] == 0:
			return 0, errZero
		}
		return uint64(f(signed(typ, x[0]), signed(typ, x[1]))), nil
	}
}
