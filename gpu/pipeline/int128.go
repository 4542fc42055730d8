package pipeline

import (
	"math"
	"math/big"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/internal/dec128"
)

// digits128 is the number of decimal digits of an Int128.
const digits128 = dec128.MaxDigits

// ToInt128 returns an integer as an Int128.
func (b *Builder) ToInt128(x *Expr) *Expr {
	switch {
	case x.Kind == Int128:
		return x
	case x.Op == OpNull:
		return b.Null(Int128)
	}
	e := Expr{Op: OpInt128, Kind: Int128, Args: []*Expr{x}, Nullable: x.Nullable}
	e.Least, e.Most = decimal128.FromI64(x.Min), decimal128.FromI64(x.Max)
	if x.IsConst() {
		e.Op, e.Args = OpConst, nil
	}
	return b.unique(e)
}

// Const128 returns a constant of at most 38 digits.
func (b *Builder) Const128(v decimal128.Num) *Expr {
	return b.unique(Expr{Op: OpConst, Kind: Int128, Least: v, Most: v})
}

// Narrowed returns an Int128 as an integer if all values within its bounds fit in 64 bits, and other
// expressions as they are.
func (b *Builder) Narrowed(x *Expr) *Expr {
	switch {
	case x.Kind != Int128 || !dec128.IsInt64(x.Least) || !dec128.IsInt64(x.Most):
		return x
	case x.Op == OpNull:
		return b.Null(Int)
	case x.IsConst():
		return b.Int(int64(x.Least.LowBits()))
	case x.Op == OpInt128:
		return x.Args[0]
	}
	return b.unique(Expr{Op: OpNarrow, Kind: Int, Args: []*Expr{x}, Nullable: x.Nullable, Min: int64(x.Least.LowBits()), Max: int64(x.Most.LowBits())})
}

// Words returns an Int128 from its Low and its High. It is within the given bounds.
func (b *Builder) Words(low, high *Expr, least, most decimal128.Num) *Expr {
	return b.unique(Expr{Op: OpWords, Kind: Int128, Args: []*Expr{low, high}, Nullable: low.Nullable || high.Nullable, Least: least, Most: most})
}

// Low returns the lowest 64 bits of an Int128 as a signed integer.
func (b *Builder) Low(x *Expr) *Expr {
	return b.unique(Expr{Op: OpLow, Kind: Int, Args: []*Expr{x}, Nullable: x.Nullable, Min: math.MinInt64, Max: math.MaxInt64})
}

// High returns the integer that, times 2^64, is an Int128 minus its Low.
func (b *Builder) High(x *Expr) *Expr {
	return b.unique(Expr{Op: OpHigh, Kind: Int, Args: []*Expr{x}, Nullable: x.Nullable, Min: highOf(x.Least), Max: highOf(x.Most)})
}

func highOf(v decimal128.Num) int64 { return v.HighBits() + int64(v.LowBits()>>63) }

// Within returns an integer or an Int128 with the bounds from least to most. Where it is beyond them,
// the program fails.
func (b *Builder) Within(x *Expr, least, most decimal128.Num) *Expr {
	e := Expr{Op: OpWithin, Kind: x.Kind, Args: []*Expr{x}, Nullable: x.Nullable, Fails: true}
	from, to := x.bounds()
	if x.Op == OpNull || dec128.Cmp(from, least) >= 0 && dec128.Cmp(to, most) <= 0 {
		return x
	}
	least, most = greater(from, least), lesser(to, most)
	if dec128.Cmp(least, most) > 0 { // every row fails
		least, most = decimal128.Num{}, decimal128.Num{}
	}
	if x.Kind == Int128 {
		e.Least, e.Most = least, most
	} else {
		e.Min, e.Max = int64(least.LowBits()), int64(most.LowBits())
	}
	return b.unique(e)
}

// bounds returns the bounds of an integer or an Int128.
func (e *Expr) bounds() (least, most decimal128.Num) {
	if e.Kind == Int128 {
		return e.Least, e.Most
	}
	return decimal128.FromI64(e.Min), decimal128.FromI64(e.Max)
}

// arith128 returns OpAdd, OpSub or OpMul. It fails for rows where the result has more than 38 digits.
func (b *Builder) arith128(op Op, x, y *Expr) *Expr {
	e := Expr{Op: op, Kind: Int128, Args: []*Expr{x, y}, Nullable: x.Nullable || y.Nullable}
	var ends []*big.Int
	for _, u := range []decimal128.Num{x.Least, x.Most} {
		for _, v := range []decimal128.Num{y.Least, y.Most} {
			z := new(big.Int)
			switch op {
			case OpAdd:
				z.Add(u.BigInt(), v.BigInt())
			case OpSub:
				z.Sub(u.BigInt(), v.BigInt())
			default:
				z.Mul(u.BigInt(), v.BigInt())
			}
			ends = append(ends, z)
		}
	}
	e.bound(ends)
	if x.IsConst() && y.IsConst() && !e.Fails {
		return b.Const128(e.Least)
	}
	return b.unique(e)
}

// bound sets the bounds to those of numbers. If they exceed 38 digits, e may fail.
func (e *Expr) bound(ends []*big.Int) {
	least, most := ends[0], ends[0]
	for _, z := range ends[1:] {
		if z.Cmp(least) < 0 {
			least = z
		}
		if z.Cmp(most) > 0 {
			most = z
		}
	}
	var low, high bool
	e.Least, low = clipped(least)
	e.Most, high = clipped(most)
	e.Fails = e.Fails || low || high
}

// clipped returns the number of at most 38 digits that is nearest to z, and whether it differs from z.
func clipped(z *big.Int) (decimal128.Num, bool) {
	most := dec128.Max(digits128)
	switch {
	case z.CmpAbs(most.BigInt()) <= 0:
		return decimal128.FromBigInt(z), false
	case z.Sign() < 0:
		return most.Negate(), true
	}
	return most, true
}

// quotient128 sets the bounds of a quotient or remainder.
func (b *Builder) quotient128(e Expr) *Expr {
	x, y := e.Args[0], e.Args[1]
	zero := y.Least.Sign() <= 0 && y.Most.Sign() >= 0
	e.Fails, e.Nullable = zero, e.Nullable || zero
	most := new(big.Int).Abs(x.Least.BigInt())
	if m := new(big.Int).Abs(x.Most.BigInt()); m.Cmp(most) > 0 {
		most = m
	}
	least, largest := new(big.Int).Abs(y.Least.BigInt()), new(big.Int).Abs(y.Most.BigInt())
	if least.Cmp(largest) > 0 {
		least, largest = largest, least
	}
	if e.Op == OpRem {
		if largest.Sign() > 0 && most.Cmp(largest) >= 0 {
			most.Sub(largest, big.NewInt(1))
		}
	} else if !zero {
		most.Add(most, new(big.Int).Sub(least, big.NewInt(1))).Quo(most, least)
	}
	e.Least, e.Most = decimal128.FromBigInt(new(big.Int).Neg(most)), decimal128.FromBigInt(most)
	if x.Least.Sign() >= 0 && (e.Op == OpRem || y.Least.Sign() >= 0) {
		e.Least = decimal128.Num{}
	}
	return b.unique(e)
}

// extreme128 sets the bounds of OpLess or OpGreater.
func (e *Expr) extreme128() {
	x, y := e.Args[0], e.Args[1]
	if e.Op == OpLess {
		e.Least, e.Most = lesser(x.Least, y.Least), lesser(x.Most, y.Most)
	} else {
		e.Least, e.Most = greater(x.Least, y.Least), greater(x.Most, y.Most)
	}
}

func lesser(x, y decimal128.Num) decimal128.Num {
	if dec128.Cmp(x, y) < 0 {
		return x
	}
	return y
}

func greater(x, y decimal128.Num) decimal128.Num {
	if dec128.Cmp(x, y) > 0 {
		return x
	}
	return y
}
