package groupjoin

import (
	"errors"
	"math/bits"

	"gsql/exec/join/input"
	"gsql/exec/join/spill"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/planner/physical"
	"gsql/sql/expr"
	"gsql/sql/pairs"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// pairwise is the operator for conditions that no order of the indexed side supports: it tests all
// pairs but only aggregates those that pass.
type pairwise struct {
	plan         *physical.GroupJoin
	probe, build op.Operator
	cond         *pairs.Condition
	read         []int // positions of the probe side's columns that the condition reads
	passed       []int // positions of the probe side's columns in the output
	collector    *input.Collector
	spilling     *spilling // takes over when memory does not suffice
	condCols     int       // number of leading collected columns that the condition reads
	argument     []int     // aggregate -> its argument among the collected columns, or -1

	ctx     *op.Ctx
	account *mem.Account
	phase   phase // emitting: there are no rows
	opened  [2]bool
	closed  [2]bool // inputs that are drained and closed
	rows    *pairs.Rows
	tallies []pairTally
	// arguments are those of distinct aggregates over blocks: streams return the pairs.
	arguments []*vec.Vector
}

func newPairwise(n *physical.Node, probe, build op.Operator) (*pairwise, error) {
	o := &pairwise{plan: n.Op.(*physical.GroupJoin), probe: probe, build: build}
	used := make(map[expr.ColID]bool)
	for _, e := range o.plan.Where {
		expr.Cols(e, used)
	}
	left, err := o.readProbe(n, used)
	if err != nil {
		return nil, err
	}
	right, err := o.readBuild(n, used)
	if err != nil {
		return nil, err
	}
	if o.cond, err = pairs.Compile(o.plan.Where, left, right); err != nil {
		return nil, err
	}
	if err := o.prepareSpilling(n); err != nil {
		return nil, err
	}
	return o, o.cond.Vectorise()
}

// prepareSpilling makes the probe side spill the columns that are read or passed on.
func (o *pairwise) prepareSpilling(n *physical.Node) error {
	var exprs []expr.Expr
	for _, list := range [][]int{o.passed, o.read} {
		for _, at := range list {
			exprs = append(exprs, n.In[0].Cols[at].Ref())
		}
	}
	held, err := input.NewCollector(n.In[0].Cols, exprs)
	if err == nil {
		o.spilling = newSpilling(n, held, o.collector, spill.HoldRight)
	}
	return err
}

// readProbe finds the probe side's columns of the output and those that the condition reads. It
// returns the ids of the latter.
func (o *pairwise) readProbe(n *physical.Node, used map[expr.ColID]bool) (ids []expr.ColID, err error) {
	position := map[expr.ColID]int{}
	for i, c := range n.In[0].Cols {
		if position[c.ID] = i; used[c.ID] {
			o.read, ids = append(o.read, i), append(ids, c.ID)
		}
	}
	for _, c := range n.Cols[:len(n.Cols)-len(o.plan.Aggs)] {
		at, ok := position[c.ID]
		if !ok {
			return nil, sqlerr.Internal("column %s is not of the probe side", c.Name)
		}
		o.passed = append(o.passed, at)
	}
	return ids, nil
}

// readBuild makes the collector of the indexed side: the columns that the condition reads, whose ids
// it returns, and the arguments of aggregates.
func (o *pairwise) readBuild(n *physical.Node, used map[expr.ColID]bool) (ids []expr.ColID, err error) {
	var collected []expr.Expr
	for _, c := range n.In[1].Cols {
		if used[c.ID] {
			collected, ids = append(collected, c.Ref()), append(ids, c.ID)
		}
	}
	o.condCols = len(collected)
	for _, a := range o.plan.Aggs {
		at := -1
		if len(a.Args) > 0 {
			at, collected = len(collected), append(collected, a.Args[0])
		}
		o.argument = append(o.argument, at)
	}
	o.collector, err = input.NewCollector(n.In[1].Cols, collected)
	return ids, err
}

// Open implements op.Operator. It reads the indexed side.
func (o *pairwise) Open(ctx *op.Ctx) error {
	o.ctx, o.account = ctx, ctx.Account("GroupJoin")
	err := o.index(ctx)
	if o.spilling.helps(ctx, err) {
		o.drop()
		o.phase = spilled
		return o.spilling.open(ctx, [2]op.Operator{o.probe, o.build}, &o.opened, o.account)
	}
	if err != nil {
		return err
	}
	if o.rows.N == 0 && !o.plan.Outer {
		o.phase = emitting
		return nil
	}
	o.phase = probing
	return o.spilling.openInput(ctx, o.probe, &o.opened[0])
}

func (o *pairwise) index(ctx *op.Ctx) error {
	if err := o.spilling.openInput(ctx, o.build, &o.opened[1]); err != nil {
		return err
	}
	side, err := o.spilling.collect(ctx, false, o.build, &o.closed[1], o.account)
	if err != nil {
		return err
	}
	o.rows = o.cond.NewRows(ctx.Eval, pairs.Right, o.account)
	if err := o.rows.Load(side.Keys[:o.condCols], side.Rows); err != nil {
		return err
	}
	for i, a := range o.plan.Aggs {
		var v *vec.Vector
		if at := o.argument[i]; at >= 0 {
			v = side.Keys[at]
		}
		if o.spilling.block && a.Distinct {
			o.arguments = append(o.arguments, v)
			continue
		}
		t, err := newPairTally(o.ctx, a, v, o.account)
		if err != nil {
			return err
		}
		o.tallies = append(o.tallies, t)
	}
	return nil
}

// Ordered implements op.Operator.
func (o *pairwise) Ordered() bool { return o.phase == probing && o.probe.Ordered() }

// Stream implements op.Operator.
func (o *pairwise) Stream() (op.Stream, error) {
	switch o.phase {
	case spilled:
		return o.spilling.stream()
	case emitting:
		return noRows{}, nil
	}
	in, err := o.probe.Stream()
	if err != nil {
		return nil, err
	}
	if len(o.arguments) > 0 {
		return o.newPairStream(in), nil
	}
	s := &pairing{o: o, tester: o.cond.NewTester(o.ctx.Eval), rows: o.cond.NewRows(o.ctx.Eval, pairs.Left, nil), results: make([]results, len(o.tallies))}
	s.out = newOutput(o.plan, len(o.passed), emittersOf(o.tallies))
	return &mapped{in, o.ctx, s.each}, nil
}

// Close implements op.Operator.
func (o *pairwise) Close() error {
	o.drop()
	err := o.spilling.close()
	o.account.End()
	return errors.Join(err, closeOnce([2]op.Operator{o.probe, o.build}, o.closed))
}

// drop frees the collected rows and the tallies.
func (o *pairwise) drop() {
	for _, t := range o.tallies {
		t.free()
	}
	if o.rows != nil {
		o.rows.Free()
	}
	o.tallies, o.arguments, o.rows = nil, nil, nil
}

// noRows is a stream without rows.
type noRows struct{}

// Next implements op.Stream.
func (noRows) Next() (*vec.Batch, error) { return nil, nil }

// Close implements op.Stream.
func (noRows) Close() error { return nil }

// pairing returns the rows of the probe side's batches with their aggregates.
type pairing struct {
	o        *pairwise
	tester   *pairs.Tester
	rows     *pairs.Rows
	cols     []*vec.Vector
	partners []int64 // by row
	results  []results
	sel      []int32
	composer vec.Composer
	out      output
}

func (p *pairing) each(b *vec.Batch) (*vec.Batch, error) {
	if err := p.test(b); err != nil {
		return nil, err
	}
	return p.batch(b)
}

// test tests the rows of b against all rows of the indexed side and aggregates the pairs that pass.
func (p *pairing) test(b *vec.Batch) error {
	p.cols = p.cols[:0]
	for _, at := range p.o.read {
		p.cols = append(p.cols, b.Cols[at])
	}
	if err := p.rows.Load(p.cols, b.N); err != nil {
		return err
	}
	p.tester.Bind(p.rows, p.o.rows, pairs.Left)
	p.partners = append(p.partners[:0], make([]int64, b.N)...)
	for i, t := range p.o.tallies {
		p.results[i].resize(t.layout(), b.N)
		p.results[i].reset()
	}
	for from := 0; from < p.o.rows.N; from += pairs.Tile {
		p.tester.Tile(from)
		for row := range b.N {
			if row%8 == 0 && p.o.ctx.Err() != nil {
				return p.o.ctx.Err()
			}
			mask, some, err := p.tester.Mask(row)
			if err != nil {
				return err
			}
			if some {
				p.add(row, mask, from)
			}
		}
	}
	return nil
}

// add adds a row's partners in a tile.
func (p *pairing) add(row int, mask []uint64, from int) {
	n := int64(0)
	for _, w := range mask {
		n += int64(bits.OnesCount64(w))
	}
	p.partners[row] += n
	for i, t := range p.o.tallies {
		t.add(mask, n, from, &p.results[i], row)
	}
}

// batch returns the rows of b that belong to the output.
func (p *pairing) batch(b *vec.Batch) (*vec.Batch, error) {
	p.sel = p.sel[:0]
	for i, n := range p.partners {
		if n > 0 || p.o.plan.Outer {
			p.sel = append(p.sel, int32(i))
		}
	}
	if len(p.sel) == 0 {
		return nil, nil
	}
	out := &p.out.batch
	out.N, out.Morsel = len(p.sel), b.Morsel
	p.composer.Reset()
	for i, at := range p.o.passed {
		if out.Cols[i] = b.Cols[at]; len(p.sel) < b.N {
			out.Cols[i] = p.composer.View(b.Cols[at], p.sel)
		}
	}
	return out, p.out.emit(p.results, p.sel)
}

// pairStream returns the pairs that pass: the probe side's columns and the argument of the
// aggregates, or NULL for rows without partners in an outer join. It serves blocks of rows whose
// distinct values are counted, since a value may occur in several blocks.
type pairStream struct {
	op.Stream
	o        *pairwise
	tester   *pairs.Tester
	rows     *pairs.Rows
	argument *vec.Vector
	cols     []*vec.Vector
	in       *vec.Batch // nil: the next one is to be read
	row      int        // the next row of in to test against the tile
	from     int        // the tile
	partners []bool     // by row
	left     []int32    // positions of the pair's rows
	right    []int32
	composer vec.Composer
	out      vec.Batch
	padding  vec.Vector
}

func (o *pairwise) newPairStream(in op.Stream) op.Stream {
	p := &pairStream{Stream: in, o: o, tester: o.cond.NewTester(o.ctx.Eval), rows: o.cond.NewRows(o.ctx.Eval, pairs.Left, nil)}
	p.argument = o.arguments[0]
	p.right = make([]int32, pairs.Tile)
	p.out.Cols = make([]*vec.Vector, len(o.passed)+1)
	return p
}

// Next implements op.Stream.
func (p *pairStream) Next() (*vec.Batch, error) {
	for {
		if err := p.o.ctx.Err(); err != nil {
			return nil, err
		}
		if p.in == nil {
			if more, err := p.read(); !more || err != nil {
				return nil, err
			}
		}
		if p.from >= p.o.rows.N {
			if b := p.unmatched(); b != nil {
				return b, nil
			}
			continue
		}
		if p.row == p.in.N {
			p.row, p.from = 0, p.from+pairs.Tile
			continue
		}
		p.tester.Tile(p.from)
		idx, all, err := p.tester.Select(p.right, p.row)
		if err != nil {
			return nil, err
		}
		if b := p.pairs(idx, all); b != nil {
			return b, nil
		}
	}
}

// read reads the next batch of the probe side.
func (p *pairStream) read() (more bool, err error) {
	b, err := p.Stream.Next()
	if b == nil || err != nil {
		return false, err
	}
	p.cols = p.cols[:0]
	for _, at := range p.o.read {
		p.cols = append(p.cols, b.Cols[at])
	}
	if err := p.rows.Load(p.cols, b.N); err != nil {
		return false, err
	}
	p.tester.Bind(p.rows, p.o.rows, pairs.Left)
	p.in, p.row, p.from = b, 0, 0
	p.partners = append(p.partners[:0], make([]bool, b.N)...)
	return true, nil
}

// pairs returns the pairs of the next row with rows of the tile; nil if there are none.
func (p *pairStream) pairs(idx []int32, all bool) *vec.Batch {
	row := int32(p.row)
	p.row++
	if all {
		idx = p.right[:min(pairs.Tile, p.o.rows.N-p.from)]
		for i := range idx {
			idx[i] = int32(i)
		}
	}
	if len(idx) == 0 {
		return nil
	}
	p.partners[row] = true
	p.left = p.left[:0]
	for i := range idx {
		p.left, p.right[i] = append(p.left, row), idx[i]+int32(p.from)
	}
	p.batch()
	p.out.Cols[len(p.o.passed)] = p.composer.View(p.argument, p.right[:len(idx)])
	return &p.out
}

// unmatched ends a batch. It returns the rows that an outer join keeps without partners, or nil.
func (p *pairStream) unmatched() *vec.Batch {
	p.left = p.left[:0]
	for i, some := range p.partners {
		if !some && p.o.plan.Outer {
			p.left = append(p.left, int32(i))
		}
	}
	if len(p.left) == 0 {
		p.in = nil
		return nil
	}
	p.batch()
	p.in = nil
	p.padding.Type = p.argument.Type
	p.padding.Resize(len(p.left))
	for i := range p.left {
		p.padding.SetNull(i)
	}
	p.out.Cols[len(p.o.passed)] = &p.padding
	return &p.out
}

// batch sets the columns of the probe side.
func (p *pairStream) batch() {
	p.out.N, p.out.Morsel = len(p.left), p.in.Morsel
	p.composer.Reset()
	for i, at := range p.o.passed {
		p.out.Cols[i] = p.composer.View(p.in.Cols[at], p.left)
	}
}
