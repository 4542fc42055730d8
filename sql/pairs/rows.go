package pairs

import (
	"math"

	"gsql/internal/dec128"
	"gsql/internal/mem"
	"gsql/sql/eval"
	"gsql/sql/kernel"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Rows holds rows of one side, together with the operands that a program computes from them.
type Rows struct {
	N         int
	cols      []*vec.Vector // as the general way reads them
	account   *mem.Account  // nil if the values are on the Go heap
	held      []interface{ Free() }
	operands  []operand
	values    []values // by operand
	evaluable bool     // values could be computed for the current rows
	evs       []*eval.Evaluator
	flat      vec.Vector
}

// values holds the values of an operand: floats, or integers in 32 bits if these suffice, else in
// 64 bits. They are padded with zeros to whole words of masks; NULLs are zero.
type values struct {
	i32    []int32
	i64    []int64 // nil if i32 is used
	f64    []float64
	buffer []int64            // memory for i64
	own    *mem.Buffer[int64] // holds buffer's memory unless that is on the Go heap
	valid  []uint64           // bit set: not NULL; empty if no value is NULL
	zero   []uint64           // divisors: bit set if the value is zero
	lo, hi int64
	large  float64 // the largest magnitude of floats
}

// NewRows allocates rows of a side, charged to account unless that is nil. Load may be called
// repeatedly.
func (c *Condition) NewRows(ctx kernel.Ctx, side Side, account *mem.Account) *Rows {
	r := &Rows{account: account}
	if c.program == nil {
		return r
	}
	r.operands = c.program.operands[side]
	for _, o := range r.operands {
		r.evs = append(r.evs, o.value.NewEvaluator(ctx))
	}
	r.values = make([]values, len(r.evs))
	return r
}

// Load sets n rows with the columns of the side, which must stay valid while the rows are used.
func (r *Rows) Load(cols []*vec.Vector, n int) error {
	r.N, r.cols, r.evaluable = n, cols, r.values != nil
	part := make([]*vec.Vector, len(cols))
	for i := range r.values {
		v := &r.values[i]
		if err := v.reset(r, n, r.operands[i]); err != nil {
			return err
		}
		for from := 0; from < n; from += Tile {
			to := min(from+Tile, n)
			for k, c := range cols {
				part[k] = c.Slice(from, to)
			}
			x, err := r.evs[i].Eval(&vec.Batch{Cols: part, N: to - from})
			if err != nil || !v.put(from, x.Tighten(&r.flat)) {
				r.evaluable = false
				return nil
			}
		}
		if err := v.finish(r, r.operands[i].divides); err != nil {
			return err
		}
	}
	return nil
}

// Free frees all memory.
func (r *Rows) Free() {
	for _, h := range r.held {
		h.Free()
	}
	for i := range r.values {
		r.values[i].own.Free()
	}
	r.held, r.values = nil, nil
}

// room returns n elements, with zeros after the first used. It reuses old if that is large
// enough.
func room[T any](r *Rows, old []T, n, used int) ([]T, error) {
	switch {
	case cap(old) >= n:
		old = old[:n]
		clear(old[min(used, n):])
		return old, nil
	case r.account == nil:
		return make([]T, n), nil
	}
	b, err := mem.Alloc[T](r.account, n)
	if err != nil {
		return nil, err
	}
	r.held = append(r.held, b)
	return b.S, nil
}

// padded returns n rounded up to whole mask words.
func padded(n int) int { return (n + 63) &^ 63 }

func (v *values) reset(r *Rows, n int, o operand) (err error) {
	v.lo, v.hi, v.large, v.zero = math.MaxInt64, math.MinInt64, 0, v.zero[:0]
	v.valid = v.valid[:0]
	if o.float {
		v.f64, err = room(r, v.f64, padded(n), n)
	} else {
		err = v.integers(r, padded(n), n)
	}
	return err
}

// integers allocates n 64-bit integers. Buffers of an account are freed if 32 bits turn out to
// suffice.
func (v *values) integers(r *Rows, n, used int) (err error) {
	if r.account == nil {
		v.buffer, err = room(r, v.buffer, n, used)
	} else {
		v.own.Free()
		if v.own, err = mem.Alloc[int64](r.account, n); err == nil {
			v.buffer = v.own.S
		}
	}
	v.i64 = v.buffer
	return err
}

// put stores the values of x, which is flat or constant, starting at from. It returns false if
// some do not fit in 64 bits.
func (v *values) put(from int, x *vec.Vector) bool {
	if x.Form == vec.Const || x.Type.ID == types.Null {
		x = x.Flatten(nil)
	}
	v.nulls(from, x)
	switch {
	case x.Type.ID == types.Null && v.i64 == nil:
		clear(v.f64[from : from+x.N])
	case x.Type.ID == types.Null:
		clear(v.i64[from : from+x.N])
		v.lo, v.hi = min(v.lo, 0), max(v.hi, 0)
	case x.Type.Kind() == types.KindF64:
		for i, f := range x.F64[:x.N] {
			if x.Null != nil && x.Null[i] {
				f = 0
			}
			v.f64[from+i] = f
			v.large = max(v.large, math.Abs(f))
		}
	case x.Type.Kind() == types.KindDec && !x.Narrow:
		for i, d := range x.Dec[:x.N] {
			if !v.integer(from+i, int64(d.LowBits()), dec128.IsInt64(d), x.Null != nil && x.Null[i]) {
				return false
			}
		}
	default:
		for i, y := range x.I64[:x.N] {
			if !v.integer(from+i, y, y >= 0 || x.Type.Kind() != types.KindU64, x.Null != nil && x.Null[i]) {
				return false
			}
		}
	}
	return true
}

func (v *values) integer(at int, y int64, fits, null bool) bool {
	if null {
		y, fits = 0, true
	}
	v.i64[at], v.lo, v.hi = y, min(v.lo, y), max(v.hi, y)
	return fits
}

// nulls records the NULLs of x, starting at from, which is a multiple of 64.
func (v *values) nulls(from int, x *vec.Vector) {
	if x.Null == nil && x.Type.ID != types.Null && len(v.valid) == 0 {
		return
	}
	for w := len(v.valid); w < (from+x.N+63)/64; w++ {
		v.valid = append(v.valid, ^uint64(0))
	}
	for i := range x.N {
		if x.IsNull(i) {
			v.valid[(from+i)/64] &^= 1 << ((from + i) % 64)
		}
	}
}

// finish narrows integers to 32 bits if possible and finds the zeros of divisors.
func (v *values) finish(r *Rows, divides bool) (err error) {
	if len(v.valid) > 0 {
		for len(v.valid) < padded(r.N)/64 {
			v.valid = append(v.valid, ^uint64(0))
		}
	}
	if divides {
		v.zero = append(v.zero, make([]uint64, padded(r.N)/64)...)
		for i, y := range v.i64[:r.N] {
			if y == 0 && v.isValid(i) {
				v.zero[i/64] |= 1 << (i % 64)
			}
		}
	}
	if r.N == 0 {
		v.lo, v.hi = 0, 0
	}
	if v.i64 == nil || v.lo < math.MinInt32 || v.hi > math.MaxInt32 {
		return nil
	}
	if v.i32, err = room(r, v.i32, padded(r.N), r.N); err != nil {
		return err
	}
	for i, y := range v.i64[:r.N] {
		v.i32[i] = int32(y)
	}
	if v.i64 = nil; v.own != nil {
		v.own.Free()
		v.own, v.buffer = nil, nil
	}
	return nil
}

// isValid reports whether a row is not NULL.
func (v *values) isValid(row int) bool { return len(v.valid) == 0 || v.valid[row/64]>>(row%64)&1 == 1 }
