package rules

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
)

// val is a BIGINT or NULL, the only values in the plans of these tests.
type val struct {
	null bool
	v    int64
}

func (x val) String() string {
	if x.null {
		return "NULL"
	}
	return fmt.Sprint(x.v)
}

var null = val{null: true}

// errRows is error 1242.
var errRows = errors.New("subquery returns more than 1 row")

// interpreter runs logical plans by definition, row by row, including correlated joins and
// subqueries. env holds the current value of every column by id.
type interpreter struct {
	env   map[expr.ColID]val
	pairs int
}

// errLong stops plans whose joins produce too many pairs for a quick test.
var errLong = errors.New("too many pairs")

const maxPairs = 200_000

func interpret(n logical.Node) (rows [][]val, err error) {
	in := &interpreter{env: map[expr.ColID]val{}}
	defer func() {
		switch r := recover(); r {
		case nil:
		case errRows, errLong:
			err = r.(error)
		default:
			panic(r)
		}
	}()
	return in.run(n), nil
}

func (in *interpreter) bind(cols []logical.Column, row []val) {
	for i, c := range cols {
		in.env[c.ID] = row[i]
	}
}

func (in *interpreter) all(preds []expr.Expr) val {
	out := val{v: 1}
	for _, p := range preds {
		out = and(out, in.eval(p))
	}
	return out
}

func (in *interpreter) filter(cols []logical.Column, rows [][]val, preds []expr.Expr) [][]val {
	var out [][]val
	for _, r := range rows {
		in.bind(cols, r)
		if x := in.all(preds); !x.null && x.v != 0 {
			out = append(out, r)
		}
	}
	return out
}

func (in *interpreter) run(n logical.Node) [][]val {
	switch x := n.(type) {
	case *logical.Scan:
		var rows [][]val
		for _, r := range x.Table.(*memTable).rows {
			row := make([]val, len(x.Ordinals))
			for i, o := range x.Ordinals {
				row[i] = r[o]
			}
			rows = append(rows, row)
		}
		return in.filter(x.Columns, rows, x.Preds)
	case *logical.Values:
		var rows [][]val
		for _, r := range x.Rows {
			row := make([]val, len(r))
			for i, e := range r {
				row[i] = in.eval(e)
			}
			rows = append(rows, row)
		}
		return rows
	case *logical.Filter:
		return in.filter(x.In.Schema(), in.run(x.In), x.Preds)
	case *logical.Project:
		var out [][]val
		cols := x.In.Schema()
		for _, r := range in.run(x.In) {
			in.bind(cols, r)
			row := make([]val, len(x.Items))
			for i, it := range x.Items {
				row[i] = in.eval(it.Expr)
			}
			out = append(out, row)
		}
		return out
	case *logical.Join:
		return in.join(x)
	case *logical.Aggregate:
		return in.aggregate(x)
	case *logical.Window:
		return in.window(x)
	case *logical.Sort:
		return in.sort(x)
	case *logical.Limit:
		rows := in.run(x.In)
		rows = rows[min(int(x.Offset), len(rows)):]
		if x.Count >= 0 {
			rows = rows[:min(int(x.Count), len(rows))]
		}
		return rows
	case *logical.SetOp:
		return in.setOp(x)
	case *logical.MaxOneRow:
		rows := in.run(x.In)
		if len(rows) > 1 {
			panic(errRows)
		}
		if len(rows) == 0 {
			return [][]val{nulls(len(x.In.Schema()))}
		}
		return rows
	}
	panic(fmt.Sprintf("%T", n))
}

func nulls(n int) []val {
	row := make([]val, n)
	for i := range row {
		row[i] = null
	}
	return row
}

func (in *interpreter) join(x *logical.Join) [][]val {
	var out [][]val
	lc, rc := x.L.Schema(), x.R.Schema()
	left := in.run(x.L)
	var right [][]val
	if !x.Correlated && (len(left) > 0 || x.Kind == logical.Full) {
		right = in.run(x.R)
	}
	met := make([]bool, len(right))
	for _, l := range left {
		in.bind(lc, l)
		if x.Correlated {
			right = in.run(x.R)
			in.bind(lc, l)
		}
		matches, mark := 0, val{}
		for i, r := range right {
			if in.pairs++; in.pairs > maxPairs {
				panic(errLong)
			}
			in.bind(rc, r)
			on := in.all(x.On)
			mark = or(mark, on)
			if on.null || on.v == 0 {
				continue
			}
			if matches++; x.Kind == logical.Full {
				met[i] = true
			}
			if x.Kind == logical.Inner || x.Kind.PadsRight() {
				out = append(out, slices.Concat(l, r))
			}
		}
		switch {
		case x.Kind == logical.Single && matches > 1:
			panic(errRows)
		case x.Kind == logical.Semi && matches > 0, x.Kind == logical.Anti && matches == 0:
			out = append(out, l)
		case x.Kind == logical.Mark:
			out = append(out, slices.Concat(l, []val{mark}))
		case x.Kind.PadsRight() && matches == 0:
			out = append(out, slices.Concat(l, nulls(len(rc))))
		}
	}
	for i, r := range right {
		if x.Kind.PadsLeft() && !met[i] {
			out = append(out, slices.Concat(nulls(len(lc)), r))
		}
	}
	return out
}

func (in *interpreter) aggregate(x *logical.Aggregate) [][]val {
	cols := x.In.Schema()
	groups, order := map[string][][]val{}, []string{}
	if len(x.Keys) == 0 {
		groups[""], order = nil, []string{""}
	}
	keyOf := map[string][]val{}
	for _, r := range in.run(x.In) {
		in.bind(cols, r)
		var key []val
		for _, k := range x.Keys {
			key = append(key, in.env[k.ID])
		}
		s := ""
		if len(x.Keys) > 0 {
			s = fmt.Sprint(key)
		}
		if _, ok := groups[s]; !ok {
			order = append(order, s)
		}
		groups[s], keyOf[s] = append(groups[s], r), key
	}
	var out [][]val
	for _, s := range order {
		row := append([]val(nil), keyOf[s]...)
		for _, a := range x.Aggs {
			row = append(row, in.agg(a.Agg, cols, groups[s]))
		}
		out = append(out, row)
	}
	return out
}

func (in *interpreter) agg(a *expr.Agg, cols []logical.Column, rows [][]val) val {
	if a.Fn == expr.CountStar {
		return val{v: int64(len(rows))}
	}
	out, count, seen := null, int64(0), map[val]bool{}
	for _, r := range rows {
		in.bind(cols, r)
		x := in.eval(a.Args[0])
		if x.null || a.Distinct && seen[x] {
			continue
		}
		seen[x] = true
		count++
		switch {
		case out.null:
			out = x
		case a.Fn == expr.Sum:
			out.v += x.v
		case a.Fn == expr.Min:
			out.v = min(out.v, x.v)
		case a.Fn == expr.Max:
			out.v = max(out.v, x.v)
		}
	}
	if a.Fn == expr.Count {
		return val{v: count}
	}
	return out
}

func (in *interpreter) sort(x *logical.Sort) [][]val {
	rows, cols := in.run(x.In), x.In.Schema()
	keys := make(map[*val][]val)
	for _, r := range rows {
		in.bind(cols, r)
		var ks []val
		for _, k := range x.Keys {
			ks = append(ks, in.eval(k.Expr))
		}
		if len(r) > 0 {
			keys[&r[0]] = ks
		}
	}
	sort.SliceStable(rows, func(i, j int) bool {
		if len(rows[i]) == 0 {
			return false
		}
		a, b := keys[&rows[i][0]], keys[&rows[j][0]]
		for k := range a {
			if a[k] != b[k] {
				less := a[k].null || !b[k].null && a[k].v < b[k].v
				return less != x.Keys[k].Desc
			}
		}
		return false
	})
	return rows
}

// window runs the window functions that rules create: DENSE_RANK, or ROW_NUMBER, and with it the
// maximum of a partition.
func (in *interpreter) window(x *logical.Window) [][]val {
	fn := x.Funcs[0].Fn.Fn
	if fn != expr.RowNumber && (fn != expr.DenseRank || len(x.Partition) > 0) || len(x.Funcs) > 2 {
		panic("window function")
	}
	rows := in.sort(&logical.Sort{In: x.In, Keys: x.Order})
	keys := func(i int) string {
		in.bind(x.In.Schema(), rows[i])
		var of []val
		for _, k := range x.Order {
			of = append(of, in.eval(k.Expr))
		}
		return fmt.Sprint(of)
	}
	cols, next, parts := x.In.Schema(), map[string]int64{}, map[string][]int{}
	out := make([][]val, len(rows))
	for i, r := range rows {
		in.bind(cols, r)
		var partition []val
		for _, e := range x.Partition {
			partition = append(partition, in.eval(e))
		}
		s := fmt.Sprint(partition)
		if fn == expr.RowNumber || i == 0 || keys(i-1) != keys(i) {
			next[s]++
		}
		out[i], parts[s] = slices.Concat(r, []val{{v: next[s]}}), append(parts[s], i)
	}
	for _, f := range x.Funcs[1:] {
		for _, of := range parts {
			var part [][]val
			for _, i := range of {
				part = append(part, rows[i])
			}
			most := in.agg(&expr.Agg{Fn: f.Fn.Agg, Args: f.Fn.Args}, cols, part)
			for _, i := range of {
				out[i] = append(out[i], most)
			}
		}
	}
	if x.Top.Count > 0 {
		out = slices.DeleteFunc(out, func(r []val) bool { return r[len(cols)].v > x.Top.Count })
	}
	return out
}

func (in *interpreter) setOp(x *logical.SetOp) [][]val {
	l, r := in.run(x.L), in.run(x.R)
	count := map[string]int{}
	for _, row := range r {
		count[fmt.Sprint(row)]++
	}
	var out [][]val
	switch x.Kind {
	case logical.Union:
		out = slices.Concat(l, r)
	case logical.Except:
		for _, row := range l {
			if s := fmt.Sprint(row); count[s] > 0 {
				if x.All {
					count[s]--
				}
			} else {
				out = append(out, row)
			}
		}
	case logical.Intersect:
		for _, row := range l {
			if s := fmt.Sprint(row); count[s] > 0 {
				if x.All {
					count[s]--
				}
				out = append(out, row)
			}
		}
	}
	if x.All {
		return out
	}
	seen, set := map[string]bool{}, [][]val{}
	for _, row := range out {
		if s := fmt.Sprint(row); !seen[s] {
			seen[s] = true
			set = append(set, row)
		}
	}
	return set
}

func and(a, b val) val {
	switch {
	case !a.null && a.v == 0 || !b.null && b.v == 0:
		return val{}
	case a.null || b.null:
		return null
	}
	return val{v: 1}
}

func not(a val) val {
	if a.null {
		return null
	}
	return truthVal(a.v == 0)
}

func or(a, b val) val { return not(and(not(a), not(b))) }

func truthVal(b bool) val {
	if b {
		return val{v: 1}
	}
	return val{}
}

func (in *interpreter) eval(e expr.Expr) val {
	switch x := e.(type) {
	case *expr.Col:
		v, ok := in.env[x.ID]
		if !ok {
			panic("unbound column " + x.Name)
		}
		return v
	case *expr.Const:
		if x.Value.Null {
			return null
		}
		return val{v: x.Value.I64}
	case *expr.Subquery:
		return in.subquery(x)
	case *expr.Call:
		return in.call(x)
	}
	panic(fmt.Sprintf("%T", e))
}

func (in *interpreter) call(x *expr.Call) val {
	switch x.Fn {
	case "and", "or":
		out := val{}
		if x.Fn == "and" {
			out.v = 1
		}
		for _, a := range x.Args {
			if x.Fn == "and" {
				out = and(out, in.eval(a))
			} else {
				out = or(out, in.eval(a))
			}
		}
		return out
	case "not":
		return not(in.eval(x.Args[0]))
	case "isnull":
		return truthVal(in.eval(x.Args[0]).null)
	case "coalesce":
		for _, a := range x.Args {
			if v := in.eval(a); !v.null {
				return v
			}
		}
		return null
	case "case":
		i := 0
		for ; i+1 < len(x.Args); i += 2 {
			if c := in.eval(x.Args[i]); !c.null && c.v != 0 {
				return in.eval(x.Args[i+1])
			}
		}
		if i < len(x.Args) {
			return in.eval(x.Args[i])
		}
		return null
	case "in":
		out, l := val{}, in.eval(x.Args[0])
		for _, a := range x.Args[1:] {
			out = or(out, compare("=", l, in.eval(a)))
		}
		return out
	case "cast":
		return in.eval(x.Args[0])
	}
	return compare(x.Fn, in.eval(x.Args[0]), in.eval(x.Args[1]))
}

func compare(op expr.FuncID, a, b val) val {
	if op == "<=>" {
		return truthVal(a.null && b.null || !a.null && !b.null && a.v == b.v)
	}
	if a.null || b.null {
		return null
	}
	switch op {
	case "=":
		return truthVal(a.v == b.v)
	case "<>":
		return truthVal(a.v != b.v)
	case "<":
		return truthVal(a.v < b.v)
	case "<=":
		return truthVal(a.v <= b.v)
	case ">":
		return truthVal(a.v > b.v)
	case ">=":
		return truthVal(a.v >= b.v)
	case "+":
		return val{v: a.v + b.v}
	case "-":
		return val{v: a.v - b.v}
	}
	panic(op)
}

func (in *interpreter) subquery(s *expr.Subquery) val {
	var left []val
	for _, l := range s.Left {
		left = append(left, in.eval(l))
	}
	rows := in.run(s.Plan.(logical.Node))
	neg := func(v val) val {
		if s.Neg {
			return not(v)
		}
		return v
	}
	switch s.Kind {
	case expr.Scalar:
		if len(rows) > 1 {
			panic(errRows)
		}
		if len(rows) == 0 {
			return null
		}
		return rows[0][0]
	case expr.Exists:
		return neg(truthVal(len(rows) > 0))
	}
	op := s.Op
	if s.Kind == expr.In {
		op = "="
	}
	any, all := val{}, val{v: 1}
	for _, r := range rows {
		one := val{v: 1}
		for i := range left {
			one = and(one, compare(op, left[i], r[i]))
		}
		any, all = or(any, one), and(all, one)
	}
	if s.Kind == expr.All {
		return neg(all)
	}
	return neg(any)
}

// evalConst is Options.Eval over the interpreter.
func evalConst(e expr.Expr) (catalog.Datum, error) {
	v := (&interpreter{}).eval(e)
	if v.null {
		return catalog.NullOf(e.Type()), nil
	}
	return catalog.Datum{Type: e.Type(), I64: v.v}, nil
}

// rowSet formats rows as a sorted multiset.
func rowSet(rows [][]val) string {
	lines := make([]string, len(rows))
	for i, r := range rows {
		lines[i] = fmt.Sprint(r)
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}
