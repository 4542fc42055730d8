package agg

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"

	"gsql/exec/colstore"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/json"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// checkEvery is how many rows of a group pass between looks for cancellation.
const checkEvery = 1 << 13

// maxConcat bounds GROUP_CONCAT's result in bytes unless group_concat_max_len is set.
const maxConcat = 1 << 20

// concat is GROUP_CONCAT and its kin that make JSON: it keeps all rows and strings them
// together at the end.
type concat struct {
	a       aggregate
	sep     string
	args    int // arguments: the text, and what DISTINCT compares; the keys of ORDER BY follow them
	ctx     *eval.Ctx
	limit   int
	store   *colstore.Store // group, arguments, keys
	account *mem.Account
	n       int
	rows    byGroup
	results []string
	held    int64 // bytes reserved for results
	null    []bool
}

func newConcat(a aggregate, account *mem.Account, ctx *eval.Ctx) state {
	c := &concat{a: a, sep: a.Sep, args: len(a.Args), ctx: ctx, limit: maxConcat, account: account}
	if a.Fn != expr.GroupConcat {
		c.sep, c.limit = ", ", math.MaxInt
	} else if ctx.Env != nil {
		if v, ok := ctx.Env.Var("group_concat_max_len"); ok {
			if n, err := strconv.Atoi(v); err == nil && n > 0 {
				c.limit = n
			}
		}
	}
	c.store = colstore.New(append([]types.Type{groupType}, a.types...), account)
	return c
}

func (c *concat) grow(n int) error {
	c.rows.forget()
	c.n = n
	return nil
}

func (c *concat) update(gids []int32, n int, args []*vec.Vector) error {
	var idx []int32
	gcol := vec.NewFlat(groupType, n)
	for i := range n {
		gcol.I64[i] = int64(group(gids, i))
		if !anyNull(args[:c.args], i) {
			idx = append(idx, int32(i))
		}
	}
	if len(idx) == 0 {
		return nil
	}
	c.rows.forget()
	cols := append([]*vec.Vector{gcol}, args...)
	return c.store.Append(vec.Select(&vec.Batch{Cols: cols, N: n}, idx))
}

// sortRows builds the lists of rows by group.
func (c *concat) sortRows() {
	c.rows.build(c.n, func(yield func(row, g int32)) {
		for i, g := range c.store.Columns()[0].I64 {
			yield(int32(i), int32(g))
		}
	})
}

func (c *concat) merge(src state, from, to []int32) error {
	o := src.(*concat)
	o.sortRows()
	cols := o.store.Columns()
	var idx []int32
	gcol := &vec.Vector{Type: groupType}
	for i, g := range from {
		for _, row := range o.rows.of(g) {
			idx = append(idx, row)
			gcol.I64 = append(gcol.I64, int64(to[i]))
		}
	}
	if len(idx) == 0 {
		return nil
	}
	c.rows.forget()
	gcol.N = len(idx)
	b := vec.Select(&vec.Batch{Cols: cols, N: o.store.Rows()}, idx)
	b.Cols[0] = gcol
	return c.store.Append(b)
}

func (c *concat) finish(ctx *op.Ctx) error {
	c.sortRows()
	cols := c.store.Columns()
	c.results, c.null = make([]string, c.n), make([]bool, c.n)
	var buf []byte
	for g := range c.n {
		if err := ctx.Err(); err != nil {
			return err
		}
		rows := c.rows.of(int32(g))
		if c.null[g] = len(rows) == 0; c.null[g] {
			continue
		}
		c.order(ctx, rows, cols)
		buf = c.join(ctx, buf[:0], rows, cols[1:1+c.args], g)
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.account.Reserve(int64(len(buf))); err != nil {
			return err
		}
		c.held += int64(len(buf))
		var err error
		if c.results[g], err = c.enclose(buf); err != nil {
			return err
		}
	}
	return nil
}

// order sorts the rows of a group by ORDER BY, unless the query is cancelled.
func (c *concat) order(ctx *op.Ctx, rows []int32, cols []*vec.Vector) {
	if len(c.a.OrderBy) == 0 {
		return
	}
	keys := cols[1+c.args:]
	compared, ended := 0, false
	slices.SortStableFunc(rows, func(x, y int32) int {
		if compared++; compared%checkEvery == 0 {
			ended = ended || ctx.Err() != nil
		}
		if ended {
			return 0 // which ends the sort soon
		}
		for i, k := range c.a.OrderBy {
			d := compareRows(keys[i], x, y)
			if k.Desc {
				d = -d
			}
			if d != 0 {
				return d
			}
		}
		return 0
	})
}

// compareRows orders two rows of a flat vector, NULL first.
func compareRows(v *vec.Vector, x, y int32) int {
	a, b := catalog.DatumAt(v, int(x)), catalog.DatumAt(v, int(y))
	switch {
	case a.Null && b.Null:
		return 0
	case a.Null:
		return -1
	case b.Null:
		return 1
	}
	return a.Compare(b)
}

// join strings the rows together, each different value once when DISTINCT is set, until the
// query is cancelled. texts
// differ, or the arguments behind the text where there are any.
func (c *concat) join(ctx *op.Ctx, buf []byte, rows []int32, args []*vec.Vector, g int) []byte {
	var met map[string]bool
	var key []byte
	if c.a.Distinct {
		met = map[string]bool{}
	}
	empty := true
	for i, row := range rows {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return buf
		}
		if met != nil {
			key = appendDistinct(key[:0], args, int(row))
			if met[string(key)] {
				continue
			}
			met[string(key)] = true
		}
		if !empty {
			buf = append(buf, c.sep...)
		}
		buf = catalog.DatumAt(args[0], int(row)).AppendText(buf)
		empty = false
		if len(buf) > c.limit {
			return c.cut(buf, g)
		}
	}
	return buf
}

// appendDistinct appends what tells a row of GROUP_CONCAT(DISTINCT) apart: its text, or
// the arguments behind it, each with its length before it.
func appendDistinct(dst []byte, args []*vec.Vector, row int) []byte {
	if len(args) == 1 {
		return catalog.DatumAt(args[0], row).AppendText(dst)
	}
	for _, a := range args[1:] {
		text := catalog.DatumAt(a, row).Text()
		dst = append(binary.AppendUvarint(dst, uint64(len(text))), text...)
	}
	return dst
}

// enclose makes the result of a group of its rows strung together. The rows of an object
// are objects of one member each.
func (c *concat) enclose(buf []byte) (string, error) {
	switch c.a.Fn {
	case expr.JSONArrayAgg:
		return "[" + string(buf) + "]", nil
	case expr.JSONObjectAgg:
		return json.Join("[" + string(buf) + "]")
	}
	return string(buf), nil
}

// cut shortens a result to the limit at the end of a character and warns.
func (c *concat) cut(buf []byte, g int) []byte {
	if c.ctx.Env != nil {
		c.ctx.Env.Warn(uint16(sqlerr.CutValueGroupConcat), "Row "+strconv.Itoa(g+1)+" was cut by GROUP_CONCAT()")
	}
	s := string(buf[:c.limit])
	return []byte(strings.ToValidUTF8(s, ""))
}

func (c *concat) result(lo, hi int, dst *vec.Vector) error {
	copy(dst.Str, c.results[lo:hi])
	for g := lo; g < hi; g++ {
		if c.null[g] {
			dst.SetNull(g - lo)
		}
	}
	return nil
}

func (c *concat) free() {
	c.store.Free()
	c.account.Release(c.held)
	c.results, c.held = nil, 0
}
