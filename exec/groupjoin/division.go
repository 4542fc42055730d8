package groupjoin

import (
	"slices"

	"gsql/exec/search"
	"gsql/internal/mem"
	"gsql/sql/eval"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// division is the side of a group join that is held, when the rows of the other side are
// found by one operand at most: its rows have windows of that operand's words, whose ends
// divide them into cells.
type division struct {
	nullSafe []bool
	groups   *directory // nil without keys
	coder    *coder     // of the operand; nil without one
	cuts     *cuts
	held     holdings
}

func (d *division) free() { d.held.free() }

// divide makes cells of the windows of rows, which are flat: t gives them, of operands.
func (o *Operator) divide(rows int, keys, operands []*vec.Vector, t *test) (d *division, err error) {
	d = &division{nullSafe: o.nullSafe}
	defer func() {
		if err != nil {
			d.free()
		}
	}()
	skip, err := mem.Alloc[bool](o.account, rows)
	if err != nil {
		return d, err
	}
	defer skip.Free()
	skipUnequal(keys, o.nullSafe, skip.S)
	var passing holdings // what nobody needs once there are cells
	defer func() { passing.free() }()
	lo, hi, err := d.windows(o.account, operands, t, skip.S, &passing)
	if err != nil {
		return d, err
	}
	var of []uint64 // the groups of rows; nil without keys
	groups := 1
	if len(keys) > 0 {
		dir, group, err := newDirectory(o.ctx, o.account, keys, rows, skip.S)
		if err != nil {
			return d, err
		}
		d.held.add(freeing(dir.free))
		passing.add(group)
		d.groups, of, groups = dir, group.S, len(dir.find.S)
	}
	for i, none := range skip.S {
		if none {
			lo[i], hi[i] = 1, 0
		}
	}
	if d.cuts, err = newCuts(o.ctx, o.account, lo, hi, of, groups); err == nil {
		d.held.add(freeing(d.cuts.free))
	}
	return d, err
}

// windows computes the windows of words: from lo to hi, empty where lo > hi.
func (d *division) windows(acct *mem.Account, operands []*vec.Vector, t *test, skip []bool, held *holdings) (lo, hi []uint64, err error) {
	for _, dst := range []*[]uint64{&lo, &hi} {
		if *dst, err = allocIn[uint64](held, acct, len(skip)); err != nil {
			return nil, nil, err
		}
	}
	words := make([][]uint64, len(operands))
	if len(operands) > 0 {
		if d.coder, err = newCoder(acct, operands...); err != nil {
			return nil, nil, err
		}
	}
	var passing holdings
	defer func() { passing.free() }()
	for i, v := range operands {
		if words[i], err = allocIn[uint64](&passing, acct, len(skip)); err != nil {
			return nil, nil, err
		}
		d.coder.encode(words[i], v, skip)
	}
	t.window(lo, hi, words)
	return lo, hi, nil
}

// placing finds the cells of the other side's rows, for one goroutine.
type placing struct {
	*division
	keyEvals []*eval.Evaluator
	operand  *eval.Evaluator // nil without one
	keys     []*vec.Vector
	flat     vec.Vector
	finder   finder
	skip     []bool
	number   []int32 // of the rows' groups
	words    []uint64
	at       []int32 // the cell of each row of a batch
}

func (d *division) placing(ctx eval.Ctx, keys []*eval.Program, operand *eval.Program) placing {
	p := placing{division: d, finder: finder{directory: d.groups}}
	for _, k := range keys {
		p.keyEvals = append(p.keyEvals, k.NewEvaluator(ctx))
	}
	if operand != nil {
		p.operand = operand.NewEvaluator(ctx)
	}
	return p
}

// none is the number of no cell, for rows without partners.
func (d *division) none() int32 { return int32(d.cuts.cells) }

// locate finds the cells of a batch's rows.
func (p *placing) locate(b *vec.Batch) error {
	p.skip = slices.Grow(p.skip[:0], b.N)[:b.N]
	clear(p.skip)
	p.at = slices.Grow(p.at[:0], b.N)[:b.N]
	if p.groups != nil {
		var err error
		if p.keys, err = evaluate(p.keyEvals, b, p.keys[:0]); err != nil {
			return err
		}
		skipUnequal(flattened(p.keys), p.nullSafe, p.skip)
		p.number = slices.Grow(p.number[:0], b.N)[:b.N]
		p.finder.groups(p.keys, p.number)
	}
	var v *vec.Vector
	if p.operand != nil {
		var err error
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

// find writes the cells of rows with the operand v, which is nil without one.
func (p *placing) find(v *vec.Vector) {
	if v == nil {
		for i := range p.at {
			p.at[i] = p.inGroup(i, 0)
		}
		return
	}
	kind := v.Type.Kind()
	if p.groups == nil && p.coder.ranks == nil && (kind == types.KindI64 || kind == types.KindU64) {
		base := uint64(0)
		if kind == types.KindI64 {
			base = 1 << 63
		}
		search.AllUpTo(p.cuts.find, v.I64, base, p.at)
		for i, null := range v.Null {
			p.skip[i] = p.skip[i] || null
		}
		return
	}
	p.words = slices.Grow(p.words[:0], len(p.at))[:len(p.at)]
	p.coder.encode(p.words, v, p.skip)
	if p.groups == nil {
		search.AllUpTo(p.cuts.find, p.words, 0, p.at)
		return
	}
	for i, w := range p.words {
		p.at[i] = p.inGroup(i, w)
	}
}

// inGroup gives the cell of a word in the group of row i.
func (p *placing) inGroup(i int, w uint64) int32 {
	switch {
	case p.groups == nil:
		return p.cuts.cell(0, w)
	case p.number[i] < 0:
		return p.none()
	}
	return p.cuts.cell(p.number[i], w)
}
