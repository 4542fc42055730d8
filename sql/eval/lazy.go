package eval

import (
	"gsql/internal/simd"
	"gsql/sql/kernel"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// connective computes AND and OR in three-valued logic. Each row's state is a value and a NULL
// flag. The value combines the non-NULL arguments; the flag is set if some argument was NULL and
// the value does not decide the result. Arguments in blocks run only for rows that are still
// undecided.
func (ev *Evaluator) connective(f *frame, st *step, n int) (*vec.Vector, error) {
	s := &f.slots[st.dst]
	s.out.Type = st.t
	s.out.Resize(n)
	state := triState{value: s.out.I64, null: kernel.Resize(s.nulls, n), or: st.op == opOr}
	s.nulls = state.null
	state.reset()
	for _, o := range st.args {
		var rows []int32
		if o.block != nil {
			list := &s.scratch().rows[0]
			rows = state.undecided((*list)[:0])
			*list = rows
			if len(rows) == 0 {
				continue
			}
			if len(rows) == n {
				rows = nil
			}
		}
		v, _, err := ev.operand(f, o, rows, n)
		if err != nil {
			return nil, err
		}
		state.add(v, rows)
	}
	if state.finish() {
		s.out.Null = state.null
	}
	return &s.out, nil
}

// triState is the intermediate result of a connective.
type triState struct {
	value []int64
	null  []bool
	nulls bool
	or    bool
}

func (t *triState) reset() {
	start := int64(1)
	if t.or {
		start = 0
	}
	for i := range t.value {
		t.value[i] = start
	}
	clear(t.null)
}

// undecided lists the rows whose result a further argument can change, in the memory of rows.
func (t *triState) undecided(rows []int32) []int32 {
	start := int64(1)
	if t.or {
		start = 0
	}
	rows = kernel.Resize(rows, len(t.value))
	n, done := simd.Select(rows, t.value, start, simd.Equal)
	for i, x := range t.value[done:] {
		rows[n] = int32(done + i)
		n += int(kernel.Bit(x == start))
	}
	return rows[:n]
}

// add combines the state with argument v, for all rows or those listed.
func (t *triState) add(v *vec.Vector, rows []int32) {
	m, k := kernel.Mask(v), len(t.value)
	if rows == nil && v.Null == nil && m != 0 {
		t.addAll(v.I64[:k])
		return
	}
	if rows != nil {
		k = len(rows)
	}
	null, mn := nullsOf(v)
	xs := v.I64
	if len(xs) == 0 { // the type NULL has no values
		xs, m = zero[:], 0
	}
	neutral := int64(1) // leaves the state as it is
	if t.or {
		neutral = 0
	}
	absent := int64(0) // 1 if some value is NULL
	if rows == nil && m != 0 && mn != 0 {
		k = 0
		absent = t.addNullable(xs, null, neutral)
	}
	for j := range k {
		i, no := j, kernel.Bit(null[j&mn])
		if rows != nil {
			i = int(rows[j])
		}
		if x := kernel.Bit(xs[j&m] != 0)&^-no | neutral&no; t.or {
			t.value[i] |= x
		} else {
			t.value[i] &= x
		}
		t.null[i] = kernel.Bit(t.null[i])|no != 0
		absent |= no
	}
	t.nulls = t.nulls || absent != 0
}

// addNullable is add for all rows of a flat argument. It returns 1 if some value is NULL.
func (t *triState) addNullable(xs []int64, null []bool, neutral int64) (absent int64) {
	n := len(t.value)
	xs, null, nulls := xs[:n], null[:n], t.null[:n]
	for i, was := range t.value {
		no := kernel.Bit(null[i])
		x := kernel.Bit(xs[i] != 0)&^-no | neutral&no
		// Of AND, whose neutral value is 1, the least remains, of OR the greatest.
		t.value[i] = was&x&neutral | (was|x)&^neutral
		nulls[i] = kernel.Bit(nulls[i])|no != 0
		absent |= no
	}
	return absent
}

var zero [1]int64

// addAll is add for all rows of an argument without NULLs.
func (t *triState) addAll(x []int64) {
	r := t.value[:len(x)]
	if t.or {
		for i, x := range x {
			r[i] |= kernel.Bit(x != 0)
		}
		return
	}
	for i, x := range x {
		r[i] &= kernel.Bit(x != 0)
	}
}

// finish clears the NULL flags of decided rows and reports whether any flags may remain.
func (t *triState) finish() bool {
	if !t.nulls {
		return false
	}
	for i, x := range t.value {
		t.null[i] = t.null[i] && (x != 0) != t.or
	}
	return true
}

// caseWhen computes CASE. Conditions run for the rows that no earlier condition took, values for
// the rows that their condition took.
func (ev *Evaluator) caseWhen(f *frame, st *step, n int) (*vec.Vector, error) {
	if v, ok := ev.blend(f, st, n); ok {
		return v, nil
	}
	s := &f.slots[st.dst]
	w, lists := writer{s: s, t: st.t, n: n}, &s.scratch().rows
	var rest []int32 // nil: all rows
	args := st.args
	for ; len(args) >= 2; args = args[2:] {
		cond, byRow, err := ev.operand(f, args[0], rest, n)
		if err != nil {
			return nil, err
		}
		all := rest == nil
		lists[0], lists[1] = split(cond, true, byRow, rest, n, lists[0][:0], lists[1])
		taken := lists[0]
		rest = lists[1]
		if all = all && len(taken) == n; all {
			taken = nil
		}
		if all || len(taken) > 0 {
			v, byRow, err := ev.operand(f, args[1], taken, n)
			if err != nil {
				return nil, err
			}
			if all {
				return withType(v, st.t, s), nil
			}
			w.write(v, byRow, taken)
		}
		if len(rest) == 0 {
			return w.finish(), nil
		}
	}
	if len(args) == 0 {
		w.writeNull(rest)
		return w.finish(), nil
	}
	if len(rest) == n {
		rest = nil
	}
	v, byRow, err := ev.operand(f, args[0], rest, n)
	if err != nil {
		return nil, err
	}
	if rest == nil {
		return withType(v, st.t, s), nil
	}
	w.write(v, byRow, rest)
	return w.finish(), nil
}

// split separates the rows (nil: all n) into taken and rest. A row is taken if its value in v is
// not NULL and, if v is a condition, not 0. rest may share memory with rows.
func split(v *vec.Vector, condition, byRow bool, rows []int32, n int, taken, rest []int32) (_, _ []int32) {
	m := kernel.Mask(v)
	rest = rest[:0]
	k := n
	if rows != nil {
		k = len(rows)
	}
	for j := 0; j < k; j++ {
		row := int32(j)
		if rows != nil {
			row = rows[j]
		}
		p := j
		if byRow {
			p = int(row)
		}
		p &= m
		if (v.Null == nil || !v.Null[p]) && (!condition || v.I64[p] != 0) {
			taken = append(taken, row)
		} else {
			rest = append(rest, row)
		}
	}
	return taken, rest
}

// coalesce returns the first non-NULL value of each row.
func (ev *Evaluator) coalesce(f *frame, st *step, n int) (*vec.Vector, error) {
	if v, ok := ev.firstOf(f, st, n); ok {
		return v, nil
	}
	s := &f.slots[st.dst]
	w := writer{s: s, t: st.t, n: n}
	var rest []int32
	for i, o := range st.args {
		v, byRow, err := ev.operand(f, o, rest, n)
		if err != nil {
			return nil, err
		}
		if i == 0 && v.Null == nil {
			return withType(v, st.t, s), nil
		}
		if rest != nil {
			w.write(v, byRow, rest) // includes NULLs: a later value overwrites them
		}
		lists := &s.scratch().rows
		lists[0], lists[1] = split(v, false, byRow, rest, n, lists[0][:0], lists[1])
		if rest == nil {
			w.write(v, byRow, lists[0])
		}
		rest = lists[1]
		if len(rest) == 0 {
			return w.finish(), nil
		}
	}
	w.writeNull(rest)
	return w.finish(), nil
}

// writer assembles a vector from values for disjoint sets of rows.
type writer struct {
	s     *slot
	t     types.Type
	n     int
	begun bool
	nulls bool
}

func (w *writer) begin() {
	if w.begun {
		return
	}
	w.begun = true
	w.s.out.Type = w.t
	w.s.out.Resize(w.n)
	w.s.nulls = kernel.Resize(w.s.nulls, w.n)
	clear(w.s.nulls)
}

// write copies values to the given rows. The value of rows[j] is at position rows[j] of v if
// byRow, else at position j. It replaces values written by earlier calls.
func (w *writer) write(v *vec.Vector, byRow bool, rows []int32) {
	w.begin()
	m := kernel.Mask(v)
	for j, row := range rows {
		p := j
		if byRow {
			p = int(row)
		}
		null := v.Null != nil && v.Null[p&m]
		w.s.nulls[row] = null
		w.nulls = w.nulls || null
	}
	out := &w.s.out
	switch w.t.Kind() {
	case types.KindI64, types.KindU64:
		scatter(out.I64, v.I64, rows, byRow, m)
	case types.KindF64:
		scatter(out.F64, v.F64, rows, byRow, m)
	case types.KindDec:
		scatter(out.Dec, v.Dec, rows, byRow, m)
	case types.KindStr:
		scatter(out.Str, v.Str, rows, byRow, m)
	}
}

func scatter[T any](dst, src []T, rows []int32, byRow bool, m int) {
	if byRow {
		for _, row := range rows {
			dst[row] = src[int(row)&m]
		}
		return
	}
	for j, row := range rows {
		dst[row] = src[j&m]
	}
}

func (w *writer) writeNull(rows []int32) {
	w.begin()
	for _, row := range rows {
		w.s.nulls[row] = true
	}
	w.nulls = w.nulls || len(rows) > 0
}

func (w *writer) finish() *vec.Vector {
	w.begin()
	if w.nulls {
		w.s.out.Null = w.s.nulls
	}
	return &w.s.out
}
