package groupjoin

import (
	"slices"

	"gsql/exec/keyenc/rank"
	"gsql/exec/search"
	"gsql/internal/mem"
	"gsql/sql/eval"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// division is the held side of a group join whose other side has at most one operand. The rows
// have windows of that operand's words, and the ends of the windows divide the words into cells.
type division struct {
	groups  *grouping     // nil without keys
	encoder *rank.Encoder // of the operand; nil without one
	cuts    *cuts
}

func (d *division) free() {
	d.groups.Free()
	if d.cuts != nil {
		d.cuts.free()
	}
}

// divide makes cells of the windows that t computes from operands, which are flat.
func (o *Operator) divide(rows int, keys, operands []*vec.Vector, t *test) (d *division, err error) {
	if rows > maxWindows {
		return nil, sqlerr.New(sqlerr.OutOfMemory, "Out of memory; a group join holds %d rows of one input, and numbers %d at most", rows, maxWindows)
	}
	d = &division{}
	var numbers *mem.Buffer[uint64]
	var skip *mem.Buffer[bool]
	defer func() {
		if err != nil {
			numbers.Free()
			skip.Free()
			d.free()
		}
	}()
	if len(operands) > 0 {
		if d.encoder, err = rank.NewEncoder(o.ctx, o.account, operands...); err != nil {
			return d, err
		}
	}
	if numbers, err = mem.Alloc[uint64](o.account, rows*t.endsPerRow()); err != nil {
		return d, err
	}
	if skip, err = mem.Alloc[bool](o.account, rows*t.endsPerRow()); err != nil {
		return d, err
	}
	if len(keys) > 0 {
		if d.groups, err = newGrouping(o.ctx, o.account, keys, o.nullSafe, numbers.S[:rows], skip.S[:rows]); err != nil {
			return d, err
		}
	}
	e, err := endsOf(o.ctx, o.account, &windowing{test: t, encoder: d.encoder, operands: operands}, d.groups, numbers, skip)
	if err != nil {
		return d, err
	}
	d.cuts, err = newCuts(o.ctx, o.account, e)
	return d, err
}

// cellFinder finds the cells of the other side's rows, for one goroutine.
type cellFinder struct {
	*division
	keyEvals []*eval.Evaluator
	operand  *eval.Evaluator // nil without one
	keys     []*vec.Vector
	flat     vec.Vector
	numberer *numberer // nil without keys
	skip     []bool
	groups   []uint64 // the numbers of the rows' groups
	words    []uint64
	at       []int32 // the cell of each row of a batch
}

func (d *division) cellFinder(ctx kernel.Ctx, keys []*eval.Program, operand *eval.Program) cellFinder {
	p := cellFinder{division: d}
	if d.groups != nil {
		p.numberer = d.groups.numberer()
	}
	for _, k := range keys {
		p.keyEvals = append(p.keyEvals, k.NewEvaluator(ctx))
	}
	if operand != nil {
		p.operand = operand.NewEvaluator(ctx)
	}
	return p
}

// vacant reports whether no row has a window with cells, so that none can have a partner.
func (d *division) vacant() bool {
	for i, from := range d.cuts.from {
		if from < d.cuts.to[i] {
			return false
		}
	}
	return true
}

// none returns the number for rows that belong to no cell because they have no partners.
func (d *division) none() int32 { return int32(d.cuts.cells) }

// locate finds the cells of a batch's rows.
func (p *cellFinder) locate(b *vec.Batch) (err error) {
	p.skip = slices.Grow(p.skip[:0], b.N)[:b.N]
	clear(p.skip)
	p.at = slices.Grow(p.at[:0], b.N)[:b.N]
	if p.numberer != nil {
		if p.keys, err = evaluate(p.keyEvals, b, p.keys[:0]); err != nil {
			return err
		}
		p.groups = slices.Grow(p.groups[:0], b.N)[:b.N]
		p.numberer.numbers(p.keys, p.groups, p.skip)
	}
	var v *vec.Vector
	if p.operand != nil {
		if v, err = p.operand.Eval(b); err != nil {
			return err
		}
		v = v.Flatten(&p.flat)
	}
	p.find(v)
	for i, skip := range p.skip {
		if skip {
			p.at[i] = p.none()
		}
	}
	return nil
}

// find writes the cells of rows with the operand v, which is nil if there is none.
func (p *cellFinder) find(v *vec.Vector) {
	if v != nil && p.numberer == nil && !p.encoder.Ranked() {
		if kind := v.Type.Kind(); kind == types.KindI64 || kind == types.KindU64 {
			p.findPlain(v)
			return
		}
	}
	p.words = slices.Grow(p.words[:0], len(p.at))[:len(p.at)]
	if v == nil {
		clear(p.words)
	} else {
		p.encoder.Encode(p.words, v, p.skip)
	}
	if p.numberer != nil {
		p.cuts.codes.prefix(p.groups, p.words)
	}
	p.cuts.cellsOf(p.words, p.none(), p.at)
}

// findPlain is find for integers, without encoding them.
func (p *cellFinder) findPlain(v *vec.Vector) {
	base := uint64(0)
	if v.Type.Kind() == types.KindI64 {
		base = 1 << 63
	}
	search.AllUpTo(p.cuts.find, v.I64, base, p.at)
	for i, null := range v.Null {
		p.skip[i] = p.skip[i] || null
	}
}
