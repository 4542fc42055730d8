package lower

import (
	"errors"
	"slices"

	"gsql/gpu/pipeline"
	"gsql/planner/physical"
)

// packing packs the keys of both sides of a join into one word each.
type packing struct {
	*joining
	builds, probes []part
	known          []*pipeline.Expr // rows of the build side whose keys can be numbered
	inside         []*pipeline.Expr // rows of the probe side whose keys are within the bounds of the build side
}

// keys returns the index's key on both sides, and the number of possible keys. Keys of the probe
// side outside the bounds of the build side are NULL.
func (j *joining) keys() (build, probe *pipeline.Expr, n int64, err error) {
	p := &packing{joining: j}
	for _, pair := range j.pairs {
		x, y, err := j.pair(pair)
		if err == nil && len(j.pairs) == 1 && !pair.NullSafe && isLong(y) && isWhole(x) && isWhole(y) {
			return y, x, wordMost, nil
		}
		if err == nil {
			err = p.add(x, y, pair.NullSafe)
		}
		if err != nil {
			return nil, nil, 0, err
		}
	}
	if build, n, err = j.word(p.builds); err == nil {
		probe, _, err = j.word(p.probes)
	}
	if err != nil {
		return nil, nil, 0, err
	}
	if len(p.known) > 0 {
		j.build.Stages = append(slices.Clip(j.build.Stages), pipeline.Stage{Pred: j.And(p.known...), Selectivity: 1})
	}
	return build, j.If(j.And(p.inside...), probe, j.Null(pipeline.Int)), n, nil
}

// isLong reports whether an integer needs more than 62 bits.
func isLong(e *pipeline.Expr) bool { return uint64(e.Max)-uint64(e.Min) >= wordMost }

// isWhole reports whether an integer can be the key of a hash index without change, because it is
// never -1, which marks free slots. Ordered doubles never are -1.
func isWhole(e *pipeline.Expr) bool {
	return e.Op == pipeline.OpOrdered || e.Min >= 0 || e.Max < -1
}

// add adds a key of both sides.
func (p *packing) add(x, y *pipeline.Expr, nulls bool) error {
	switch {
	case x.Op == pipeline.OpNull || y.Op == pipeline.OpNull:
		return p.addNull(x, y, nulls)
	case isLong(y):
		return p.halves(x, y, nulls)
	}
	b, err := newPart(y, nulls)
	if err != nil {
		return err
	}
	if x.Min < y.Min || x.Max > y.Max {
		limited := p.Extreme(pipeline.OpLess, p.Extreme(pipeline.OpGreater, x, p.Int(y.Min)), p.Int(y.Max))
		same := p.Compare(pipeline.OpEQ, x, limited)
		if b.null {
			same = p.Or(p.IsNull(x), same)
		}
		p.inside = append(p.inside, same)
		x = limited
	}
	q := b
	q.e = x
	return p.place(b, q)
}

// addNull adds a key that is NULL on one side at least: it equals nothing, or NULLs.
func (p *packing) addNull(x, y *pipeline.Expr, nulls bool) error {
	switch {
	case !nulls || x.Op == pipeline.OpNull && y.Op != pipeline.OpNull && !y.Nullable:
		p.inside = append(p.inside, p.Bool(false))
		return nil
	case y.Op == pipeline.OpNull:
		p.inside = append(p.inside, p.IsNull(x))
		return nil
	}
	b, err := newPart(p.ToInt(p.IsNull(y)), false)
	q := b
	q.e = p.Int(1)
	if err != nil {
		return err
	}
	return p.place(b, q)
}

// place adds a part to each word.
func (p *packing) place(b, q part) error {
	if !fits(p.builds, b) {
		if err := p.number(); err != nil {
			return err
		}
	}
	p.builds, p.probes = append(p.builds, b), append(p.probes, q)
	return nil
}

// halves adds a key of more than 62 bits as two.
func (p *packing) halves(x, y *pipeline.Expr, nulls bool) error {
	for _, op := range []pipeline.Op{pipeline.OpQuo, pipeline.OpRem} {
		b, err := p.Quotient(op, y, p.Int(1<<32))
		if err != nil {
			return errors.New("a key of 64 bits has no device form")
		}
		a, err := p.Quotient(op, x, p.Int(1<<32))
		if err != nil {
			return errors.New("a key of 64 bits has no device form")
		}
		if err := p.add(a, b, nulls); err != nil {
			return err
		}
	}
	return nil
}

// number replaces the keys so far by their number in an index, so that further keys fit in the
// word. Keys that the build side lacks are NULL on the probe side.
func (p *packing) number() error {
	word, values, err := p.word(p.builds)
	if err != nil {
		return err
	}
	other, _, err := p.word(p.probes)
	if err != nil {
		return err
	}
	if word.Nullable {
		p.known = append(p.known, p.Not(p.IsNull(word)))
	}
	index := p.addHash(p.build.est, float64(p.build.Rows), values)
	b, err := newPart(p.Slot(index, word), false)
	q := b
	q.e = p.Find(index, other)
	p.builds, p.probes = []part{b}, []part{q}
	return err
}

// pair returns both sides of an equality as integers of the same scale, or codes of one dictionary.
func (j *joining) pair(p physical.KeyPair) (probe, build *pipeline.Expr, err error) {
	x, err := j.scalar(j.probe.env, p.L)
	if err != nil {
		return nil, nil, err
	}
	y, err := j.scalar(j.build.env, p.R)
	if err != nil {
		return nil, nil, err
	}
	if x.text || y.text {
		if x.e == nil || y.e == nil || !x.text || !y.text {
			return nil, nil, errors.New("a text key has no device form")
		}
		if x.texts != y.texts {
			x.e = j.translated(x, y)
		}
		return x.e, y.e, nil
	}
	a, errA := j.number(x)
	b, errB := j.number(y)
	if err := errors.Join(errA, errB); err != nil {
		return nil, nil, err
	}
	if a.Kind == pipeline.Int128 || b.Kind == pipeline.Int128 {
		return nil, nil, errLong
	}
	scale := max(x.scale, y.scale)
	if a, err = j.aligned(a, x.scale, scale); err != nil {
		return nil, nil, err
	}
	if b, err = j.aligned(b, y.scale, scale); err != nil {
		return nil, nil, err
	}
	if a.Kind == pipeline.Int128 || b.Kind == pipeline.Int128 {
		return nil, nil, errLong
	}
	switch null := a.Op == pipeline.OpNull || b.Op == pipeline.OpNull; {
	case a.Kind != b.Kind && !null && scale == 0 && isExact(a) && isExact(b):
		a, b = j.Ordered(j.real(a)), j.Ordered(j.real(b))
	case a.Kind != b.Kind && !null:
		return nil, nil, errors.New("an equality of two kinds of numbers has no device form")
	case a.Kind == pipeline.Float:
		a = j.Ordered(a)
	}
	if b.Kind == pipeline.Float {
		b = j.Ordered(b)
	}
	return a, b, nil
}

// isExact reports whether a number is a double, or an integer that a double represents exactly.
func isExact(e *pipeline.Expr) bool {
	return e.Kind == pipeline.Float || e.Min >= -1<<53 && e.Max <= 1<<53
}

// real returns a number as a double.
func (j *joining) real(e *pipeline.Expr) *pipeline.Expr {
	if e.Kind == pipeline.Float {
		return e
	}
	return j.ToFloat(e)
}

// A join whose index does not fit the device takes passes: each builds the index of a part of the keys and
// probes it with the other side's rows of that part. What the rows end in, groups or a result, is there once and
// collects the rows of all passes. A part is a hash of the key modulo the number of passes.

// passing is the join that takes passes.
type passing struct {
	index  int // number of its index; -1: none
	count  int
	column int // of the number of the pass
}

// The numbers that mix the bits of a key: two primes.
const (
	mixModulus = 65521
	mixFactor  = 40503
)

// part returns whether a key belongs to the part of the pass. NULL belongs to the first.
func (j *joining) part(key *pipeline.Expr) (*pipeline.Expr, error) {
	steps := []func(e *pipeline.Expr) (*pipeline.Expr, error){
		func(e *pipeline.Expr) (*pipeline.Expr, error) {
			return j.Quotient(pipeline.OpRem, e, j.Int(mixModulus))
		},
		func(e *pipeline.Expr) (*pipeline.Expr, error) { return j.Arith(pipeline.OpAdd, e, j.Int(mixModulus)) },
		func(e *pipeline.Expr) (*pipeline.Expr, error) { return j.Arith(pipeline.OpMul, e, j.Int(mixFactor)) },
		func(e *pipeline.Expr) (*pipeline.Expr, error) { return j.Quotient(pipeline.OpQuo, e, j.Int(32)) },
		func(e *pipeline.Expr) (*pipeline.Expr, error) {
			return j.Quotient(pipeline.OpRem, e, j.Int(int64(j.passing.count)))
		},
	}
	e := key
	for _, step := range steps {
		var err error
		if e, err = step(e); err != nil {
			return nil, err
		}
	}
	if key.Nullable {
		e = j.If(j.IsNull(key), j.Int(0), e)
	}
	return j.Compare(pipeline.OpEQ, e, j.Lookup(j.passing.column, j.Int(0))), nil
}

// passes adds the stages of both sides that take the rows of a part, if the join takes passes.
func (j *joining) passes(build *pipeline.Pipeline, buildKey, probeKey *pipeline.Expr) error {
	if j.index != j.passing.index {
		return nil
	}
	j.passing.column = j.AddColumn(pipeline.Column{Width: 1, Max: 255, Relation: pipeline.None, Size: 1})
	of, errBuild := j.part(buildKey)
	with, errProbe := j.part(probeKey)
	if err := errors.Join(errBuild, errProbe); err != nil {
		return err
	}
	share := 1 / float64(j.passing.count)
	build.Stages = append(append([]pipeline.Stage{}, build.Stages...), pipeline.Stage{Pred: of, Selectivity: share})
	j.probe.Stages = append(j.probe.Stages, pipeline.Stage{Pred: with, Selectivity: share})
	return nil
}

// finishPasses describes the passes of the whole program.
func (l *lowering) finishPasses() error {
	if l.passing.index < 0 {
		return nil
	}
	build, probe, err := l.Program.Ends(l.passing.index)
	if err == nil && l.Program.Indexes[l.passing.index].Slots == pipeline.None {
		err = errors.New("an index without slots takes no passes")
	}
	l.Program.Passes = &pipeline.Passes{Count: l.passing.count, Part: l.passing.column, Index: l.passing.index, Build: build, Probe: probe}
	return err
}
