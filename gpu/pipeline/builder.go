package pipeline

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
)

// ErrRange is the constructors' error if a value might exceed 64 bits.
var ErrRange = errors.New("values may exceed 64 bits")

// Builder makes a program's columns and expressions. Constructors return the same pointer for equal
// expressions and fold constants. They do not check kinds: a wrong kind is a bug in the caller,
// which Program.Check reports.
type Builder struct {
	Program *Program
	known   map[string]*Expr
}

// NewBuilder returns a builder of an empty program.
func NewBuilder() *Builder {
	return &Builder{Program: &Program{}, known: map[string]*Expr{}}
}

// AddColumn adds a column and returns its number.
func (b *Builder) AddColumn(c Column) int {
	b.Program.Columns = append(b.Program.Columns, c)
	return len(b.Program.Columns) - 1
}

// unique returns the existing expression that equals e, or else e.
func (b *Builder) unique(e Expr) *Expr {
	key := fmt.Sprintf("%d %d %d %d %d %x %t %d %d %t", e.Op, e.Kind, e.Column, e.At, e.Value, math.Float64bits(e.Real), e.Nullable, e.Min, e.Max, e.Fails)
	if e.Kind == Int128 {
		key += fmt.Sprint(" ", e.Least, e.Most)
	}
	e.Careful = e.Fails
	for _, a := range e.Args {
		key += fmt.Sprintf(" %p", a)
		e.Careful = e.Careful || a.Careful
	}
	if x := b.known[key]; x != nil {
		return x
	}
	b.known[key] = &e
	return &e
}

// Int returns an integer constant.
func (b *Builder) Int(v int64) *Expr {
	return b.unique(Expr{Op: OpConst, Kind: Int, Value: v, Min: v, Max: v})
}

// Float returns a double constant.
func (b *Builder) Float(v float64) *Expr { return b.unique(Expr{Op: OpConst, Kind: Float, Real: v}) }

// Bool returns a truth value.
func (b *Builder) Bool(v bool) *Expr {
	e := Expr{Op: OpConst, Kind: Bool}
	if v {
		e.Value = 1
	}
	return b.unique(e)
}

// Null returns NULL. Its bounds contain only 0.
func (b *Builder) Null(k Kind) *Expr { return b.unique(Expr{Op: OpNull, Kind: k, Nullable: true}) }

// Load returns the element of a column at the row of stage at, or of the source. padded is set for
// stages that are left joins.
func (b *Builder) Load(column, at int, padded bool) *Expr {
	c := &b.Program.Columns[column]
	return b.unique(Expr{Op: OpLoad, Kind: c.Kind, Column: column, At: at, Nullable: c.Nullable || padded, Min: c.Min, Max: c.Max})
}

// Lookup returns the element of a column with the number that index has.
func (b *Builder) Lookup(column int, index *Expr) *Expr {
	c := &b.Program.Columns[column]
	return b.unique(Expr{Op: OpLookup, Kind: c.Kind, Column: column, Args: []*Expr{index}, Nullable: c.Nullable || index.Nullable, Min: c.Min, Max: c.Max})
}

// Row returns the number of the row of stage at, or of the source. There are so many rows.
func (b *Builder) Row(at int, rows int64, padded bool) *Expr {
	return b.unique(Expr{Op: OpRow, Kind: Int, At: at, Nullable: padded, Max: max(rows-1, 0)})
}

// Slot returns the slot of a key in a hash index and adds the key if necessary.
func (b *Builder) Slot(index int, key *Expr) *Expr {
	return b.unique(Expr{Op: OpSlot, Kind: Int, At: index, Args: []*Expr{key}, Max: b.Program.Indexes[index].Size - 1})
}

// Find returns the number of a key in a hash index of groups, or NULL.
func (b *Builder) Find(index int, key *Expr) *Expr {
	return b.unique(Expr{Op: OpFind, Kind: Int, At: index, Args: []*Expr{key}, Nullable: true, Max: b.Program.Indexes[index].Size - 1})
}

// Below returns the number of the first n elements of a column that are less than x or, if equal is set, not
// greater.
func (b *Builder) Below(column int, x, n *Expr, equal bool) *Expr {
	e := Expr{Op: OpBelow, Kind: Int, Column: column, Args: []*Expr{x, n}, Nullable: x.Nullable, Max: b.Program.Columns[column].Size}
	if equal {
		e.Value = 1
	}
	return b.unique(e)
}

// Ordered returns a double as an integer of its order. The bounds include NaNs.
func (b *Builder) Ordered(x *Expr) *Expr {
	return b.unique(Expr{Op: OpOrdered, Kind: Int, Args: []*Expr{x}, Nullable: x.Nullable, Min: math.MinInt64 + 1, Max: math.MaxInt64})
}

// FromOrdered returns the double of which an integer is the Ordered.
func (b *Builder) FromOrdered(x *Expr) *Expr {
	return b.unique(Expr{Op: OpFromOrdered, Kind: Float, Args: []*Expr{x}, Nullable: x.Nullable})
}

// Matched reports whether the join of a stage found a row.
func (b *Builder) Matched(at int) *Expr { return b.unique(Expr{Op: OpMatched, Kind: Bool, At: at}) }

// Arith returns OpAdd, OpSub or OpMul of two numbers of one kind.
func (b *Builder) Arith(op Op, x, y *Expr) (*Expr, error) {
	if x.Kind == Int128 {
		return b.arith128(op, x, y), nil
	}
	e := Expr{Op: op, Kind: x.Kind, Args: []*Expr{x, y}, Nullable: x.Nullable || y.Nullable}
	if x.Kind == Float {
		e.Fails = true // where the result is infinite
		return b.unique(e), nil
	}
	var ok bool
	if e.Min, e.Max, ok = interval(op, x, y); !ok {
		return nil, fmt.Errorf("%w", ErrRange)
	}
	if x.IsConst() && y.IsConst() {
		return b.Int(e.Min), nil
	}
	switch {
	case op != OpMul && y.IsConst() && y.Value == 0, op == OpMul && y.IsConst() && y.Value == 1:
		return x, nil
	case op == OpAdd && x.IsConst() && x.Value == 0, op == OpMul && x.IsConst() && x.Value == 1:
		return y, nil
	}
	return b.unique(e), nil
}

// interval returns the bounds of op over the bounds of x and y.
func interval(op Op, x, y *Expr) (least, greatest int64, ok bool) {
	switch op {
	case OpAdd:
		lo, fits := add(x.Min, y.Min)
		hi, fits2 := add(x.Max, y.Max)
		return lo, hi, fits && fits2
	case OpSub:
		lo, fits := sub(x.Min, y.Max)
		hi, fits2 := sub(x.Max, y.Min)
		return lo, hi, fits && fits2
	}
	least, greatest = math.MaxInt64, math.MinInt64
	for _, p := range [][2]int64{{x.Min, y.Min}, {x.Min, y.Max}, {x.Max, y.Min}, {x.Max, y.Max}} {
		v, fits := mul(p[0], p[1])
		if !fits {
			return 0, 0, false
		}
		least, greatest = min(least, v), max(greatest, v)
	}
	return least, greatest, true
}

func add(x, y int64) (int64, bool) {
	s := x + y
	return s, (s > x) == (y > 0)
}

func sub(x, y int64) (int64, bool) {
	d := x - y
	return d, (d < x) == (y > 0)
}

func mul(x, y int64) (int64, bool) {
	hi, lo := bits.Mul64(magnitude(x), magnitude(y))
	if hi != 0 || lo > math.MaxInt64 && (lo > 1<<63 || (x < 0) == (y < 0)) {
		return 0, false
	}
	return x * y, true
}

func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

// Neg returns -x.
func (b *Builder) Neg(x *Expr) (*Expr, error) {
	switch x.Kind {
	case Float:
		return b.unique(Expr{Op: OpNeg, Kind: Float, Args: []*Expr{x}, Nullable: x.Nullable}), nil
	case Int128:
		return b.arith128(OpSub, b.ToInt128(b.Int(0)), x), nil
	}
	return b.Arith(OpSub, b.Int(0), x)
}

// Abs returns the absolute value of x.
func (b *Builder) Abs(x *Expr) (*Expr, error) {
	e := Expr{Op: OpAbs, Kind: x.Kind, Args: []*Expr{x}, Nullable: x.Nullable}
	switch {
	case x.Kind == Float:
	case x.Kind == Int128:
		minus, err := b.Neg(x)
		if err != nil {
			return nil, err
		}
		return b.Extreme(OpGreater, x, minus), nil
	case x.Min == math.MinInt64:
		return nil, fmt.Errorf("%w", ErrRange)
	case x.Min >= 0:
		return x, nil
	default:
		e.Max = max(x.Max, -x.Min)
		if x.Max < 0 {
			e.Min = -x.Max
		}
	}
	return b.unique(e), nil
}

// Quotient returns OpQuo, OpRem or OpQuoRound. It is NULL where the divisor is 0.
func (b *Builder) Quotient(op Op, x, y *Expr) (*Expr, error) {
	e := Expr{Op: op, Kind: x.Kind, Args: []*Expr{x, y}, Nullable: x.Nullable || y.Nullable}
	switch {
	case y.IsConst() && y.Kind != Int128 && y.Value == 0 && y.Real == 0:
		return nil, errors.New("the divisor is 0")
	case x.Kind == Float:
		e.Fails = true
		e.Nullable = e.Nullable || !y.IsConst()
		return b.unique(e), nil
	case x.Kind == Int128:
		return b.quotient128(e), nil
	case x.Min == math.MinInt64 && y.Min <= 1 || y.Min == math.MinInt64:
		return nil, fmt.Errorf("%w", ErrRange)
	}
	e.Fails = y.Min <= 0 && y.Max >= 0
	e.Nullable = e.Nullable || e.Fails
	least := int64(1)
	if !e.Fails {
		least = min(abs(y.Min), abs(y.Max))
	}
	most := max(abs(max(x.Min, -math.MaxInt64)), abs(x.Max))
	if op == OpRem {
		most = min(most, max(abs(y.Min), abs(y.Max))-1)
	} else {
		most = most/least + min(most%least, 1)
	}
	e.Min, e.Max = -most, most
	if x.Min >= 0 && (op == OpRem || y.Min >= 0) {
		e.Min = 0
	}
	return b.unique(e), nil
}

func abs(x int64) int64 {
	if x < 0 {
		return -x
	}
	return x
}

// Extreme returns OpLess or OpGreater of two numbers of one kind.
func (b *Builder) Extreme(op Op, x, y *Expr) *Expr {
	e := Expr{Op: op, Kind: x.Kind, Args: []*Expr{x, y}, Nullable: x.Nullable || y.Nullable}
	switch {
	case x.Kind == Int128:
		e.extreme128()
	case op == OpLess:
		e.Min, e.Max = min(x.Min, y.Min), min(x.Max, y.Max)
	default:
		e.Min, e.Max = max(x.Min, y.Min), max(x.Max, y.Max)
	}
	return b.unique(e)
}

// Sqrt returns the square root of a double, which must not be negative.
func (b *Builder) Sqrt(x *Expr) *Expr {
	return b.unique(Expr{Op: OpSqrt, Kind: Float, Args: []*Expr{x}, Nullable: x.Nullable})
}

// ToFloat returns an integer as a double.
func (b *Builder) ToFloat(x *Expr) *Expr {
	if x.IsConst() {
		return b.Float(float64(x.Value))
	}
	return b.unique(Expr{Op: OpFloat, Kind: Float, Args: []*Expr{x}, Nullable: x.Nullable})
}

// ToInt returns 1 for true and 0 for false.
func (b *Builder) ToInt(x *Expr) *Expr {
	if x.IsConst() {
		return b.Int(x.Value)
	}
	return b.unique(Expr{Op: OpInt, Kind: Int, Args: []*Expr{x}, Nullable: x.Nullable, Max: 1})
}
