package state

import (
	"errors"
	"math"
	"slices"
	"strconv"

	"gsql/exec/colstore"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// checkEvery is the number of rows of a group between checks for cancellation.
const checkEvery = 1 << 13

// maxConcat bounds GROUP_CONCAT's result in bytes unless group_concat_max_len is set.
const maxConcat = 1 << 20

// concat is GROUP_CONCAT and the similar functions that make JSON. It keeps all rows and
// concatenates them at the end. Rows spill if they do not fit in memory. If any rows will do, it
// keeps no more of a group than the limit requires.
type concat struct {
	diskRows
	a       Aggregate
	sep     string
	args    int // arguments: the text, and what DISTINCT compares; the keys of ORDER BY follow them
	ctx     *kernel.Ctx
	limit   int
	store   *colstore.Store // group, arguments, keys
	account *mem.Account
	n       int
	texts   *mem.Buffer[int64] // by group: bytes kept, with separators; nil if all are kept
	byGroup ByGroup
	done    int // groups that have results
	results []string
	held    int64 // bytes reserved for results
	null    []bool
}

func newConcat(a Aggregate, account *mem.Account, ctx *kernel.Ctx, files *Files) State {
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
	c.diskRows = diskRows{files: files, types: append([]types.Type{groupType}, a.Types...)}
	c.store = colstore.New(c.types, account)
	return c
}

// anyRows reports whether the result is cut at the limit and may consist of any rows.
func (c *concat) anyRows() bool {
	return c.limit < math.MaxInt && len(c.a.OrderBy) == 0 && !c.a.Distinct
}

func (c *concat) Grow(n int) error {
	c.byGroup.forget()
	c.n = n
	if c.anyRows() {
		return mem.Room(c.account, &c.texts, n)
	}
	return nil
}

func (c *concat) Update(gids []int32, n int, args []*vec.Vector) error {
	var idx []int32
	gcol := vec.NewFlat(groupType, n)
	for i := range n {
		g := group(gids, i)
		gcol.I64[i] = int64(g)
		if !anyNull(args[:c.args], i) && c.wants(g, args[0], i) {
			idx = append(idx, int32(i))
		}
	}
	if len(idx) == 0 {
		return nil
	}
	cols := append([]*vec.Vector{gcol}, args...)
	return c.append(vec.Select(&vec.Batch{Cols: cols, N: n}, idx))
}

// wants adds the length of the text of a row of group g. It returns false if the earlier rows
// exceed the limit.
func (c *concat) wants(g int32, text *vec.Vector, i int) bool {
	if c.texts == nil {
		return true
	}
	if c.full(g) {
		return false
	}
	c.texts.S[g] += int64(len(c.sep))
	if text.Type.Kind() == types.KindStr {
		c.texts.S[g] += int64(len(text.Str[i]))
	}
	return true
}

// full reports whether the rows kept for group g exceed the limit.
func (c *concat) full(g int32) bool {
	return c.texts.S[g] > int64(c.limit)+int64(len(c.sep))
}

// append keeps rows. Those for which an empty store has no room spill as they are.
func (c *concat) append(b *vec.Batch) error {
	if err := c.makeRoom(); err != nil {
		return err
	}
	c.byGroup.forget()
	err := c.addTo(func() error { return c.keep(b) })
	if errors.Is(err, sqlerr.OutOfMemory) && c.files.Ctx.Spill != nil {
		bytes := int64(0)
		for _, col := range b.Cols {
			bytes += col.TextBytes() + mostValue*int64(b.N)
		}
		return c.write(b, bytes)
	}
	return err
}

// mostValue is the greatest number of bytes that a value takes in a column, not counting the bytes
// of a text.
const mostValue = 17

// sortRows builds the lists of rows by group.
func (c *concat) sortRows() {
	c.byGroup.Build(c.n, func(yield func(row, g int32)) {
		for i, g := range c.store.Columns()[0].I64 {
			yield(int32(i), int32(g))
		}
	})
}

func (c *concat) Merge(src State, from, to []int32) error {
	o := src.(*concat)
	c.absorb(&o.diskRows, o.n, from, to)
	o.sortRows()
	all := &vec.Batch{Cols: o.store.Columns(), N: o.store.Rows()}
	var idx []int32
	gcol := &vec.Vector{Type: groupType}
	flush := func() error {
		if len(idx) == 0 {
			return nil
		}
		b := vec.Select(all, idx)
		gcol.N, b.Cols[0] = len(idx), gcol
		err := c.append(b)
		idx, gcol = nil, &vec.Vector{Type: groupType}
		return err
	}
	for i, g := range from {
		if c.texts != nil {
			if c.full(to[i]) {
				continue
			}
			c.texts.S[to[i]] += o.texts.S[g]
		}
		for _, row := range o.byGroup.Of(g) {
			idx = append(idx, row)
			gcol.I64 = append(gcol.I64, int64(to[i]))
			if len(idx) == setBlock {
				if err := flush(); err != nil {
					return err
				}
			}
		}
	}
	return flush()
}

func (c *concat) Finish(ctx *op.Ctx) error {
	c.results, c.null = make([]string, c.n), make([]bool, c.n)
	for g := range c.null {
		c.null[g] = true
	}
	if len(c.sources) == 0 {
		err := c.finishInMemory(ctx)
		if c.files.Ctx.Spill == nil || !errors.Is(err, sqlerr.OutOfMemory) {
			return err
		}
	}
	if err := c.Put(); err != nil {
		return err
	}
	return c.addTo(func() error { return c.finishOnDisk(ctx) })
}

func (c *concat) finishInMemory(ctx *op.Ctx) error {
	j := c.newJoiner()
	defer j.free()
	c.sortRows()
	cols := c.store.Columns()
	for g := range c.n {
		if err := ctx.Err(); err != nil {
			return err
		}
		rows := c.byGroup.Of(int32(g))
		c.order(ctx, rows, cols)
		j.begin(g)
		for i, row := range rows {
			if i%checkEvery == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if err := j.add(cols[1:1+c.args], int(row)); err != nil {
				return err
			}
			if j.full {
				break
			}
		}
		if err := j.end(); err != nil {
			return err
		}
		c.done = g + 1
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
			return 0 // ends the sort soon
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

// compareRows compares two rows of a flat vector, with NULL first.
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

func (c *concat) Result(lo, hi int, dst *vec.Vector) error {
	copy(dst.Str, c.results[lo:hi])
	for g := lo; g < hi; g++ {
		if c.null[g] {
			dst.SetNull(g - lo)
		}
	}
	return nil
}

// reserve reserves memory for making one group's result.
func (c *concat) reserve(n int64) error {
	return c.account.ReserveFor("HashAggregate, for one group's "+c.a.Fn.String()+",", n)
}

func (c *concat) Free() {
	c.store.Free()
	c.account.Discard(c.held)
	c.texts.Free()
	c.results, c.texts, c.held = nil, nil, 0
}
