package lower

import (
	"errors"
	"math"

	"gsql/gpu/pipeline"
	"gsql/planner/logical"
	"gsql/sql/expr"
)

// members holds what IN and NOT IN need to know about the build side in addition to its keys, if
// one of the sides may have NULLs: IN is NULL if no match was found and one of the compared values
// is NULL.
type members struct {
	some    *pipeline.Expr // whether the build side has rows
	unknown *pipeline.Expr // whether the key, or a row of the build side, is NULL
}

// possible is a join like one of IN or NOT IN by conditions that are true where the original ones are
// true or NULL. Equalities that
// may be NULL are no longer keys.
func (j *joining) possible() (*joining, error) {
	p := &joining{lowering: j.lowering, op: j.op, probe: j.probe, build: j.build}
	loose := func(e expr.Expr) expr.Expr {
		null := &expr.Call{Fn: expr.FuncIsNull, Args: []expr.Expr{e}, T: truthType, Pos: -1}
		return &expr.Call{Fn: expr.FuncOr, Args: []expr.Expr{null, e}, T: truthType, Pos: -1}
	}
	for _, pair := range j.pairs {
		x, errX := j.scalar(j.probe.env, pair.L)
		y, errY := j.scalar(j.build.env, pair.R)
		if err := errors.Join(errX, errY); err != nil {
			return nil, err
		}
		if pair.NullSafe || x.e != nil && y.e != nil && !x.e.Nullable && !y.e.Nullable {
			p.pairs = append(p.pairs, pair)
			continue
		}
		p.rest = append(p.rest, loose(&expr.Call{Fn: expr.FuncEQ, Args: []expr.Expr{pair.L, pair.R}, T: truthType, Pos: -1}))
	}
	for _, e := range j.rest {
		p.rest = append(p.rest, loose(e))
	}
	return p, nil
}

// loosen adds a stage that determines whether the conditions are true or NULL for some row of the
// build side. An anti join needs no other stage.
func (j *joining) loosen() error {
	p, err := j.possible()
	if err != nil {
		return err
	}
	if j.op.Type == logical.Anti {
		j.pairs, j.rest, j.single = p.pairs, p.rest, false
		return j.crossable()
	}
	if err = p.crossable(); err == nil {
		err = p.connect(pipeline.Mark)
	}
	if err == nil {
		err = p.condition()
	}
	j.members = &members{some: j.Bool(true), unknown: j.Matched(p.stage)}
	return err
}

// countMembers adds a pipeline that counts the rows of the build side and those whose key is not
// NULL, unless neither side has NULLs. Other conditions require a separate join.
func (j *joining) countMembers() error {
	nullable := false
	for _, p := range j.pairs {
		x, errX := j.scalar(j.probe.env, p.L)
		y, errY := j.scalar(j.build.env, p.R)
		if err := errors.Join(errX, errY); err != nil {
			return err
		}
		nullable = nullable || x.e == nil || y.e == nil || x.e.Nullable || y.e.Nullable
	}
	switch {
	case !nullable && len(j.rest) == 0:
		return nil
	case len(j.pairs) != 1 || len(j.rest) > 0:
		return j.loosen()
	}
	x, y, err := j.pair(j.pairs[0])
	if err != nil {
		return err
	}
	count := func(op pipeline.AccOp, arg *pipeline.Expr) pipeline.Acc {
		return pipeline.Acc{Op: op, Column: j.array(8, 1, 0, 0, math.MaxInt64), Arg: arg}
	}
	rows, known := count(pipeline.CountRows, nil), count(pipeline.Count, y)
	p := j.build.Pipeline
	p.Sink = pipeline.Sink{Op: pipeline.Group, Index: j.addDirect(1), Key: j.Int(0), Accs: []pipeline.Acc{rows, known}}
	j.Program.Pipelines = append(j.Program.Pipelines, p)
	all := j.Lookup(rows.Column, j.Int(0))
	j.members = &members{
		some:    j.Compare(pipeline.OpGT, all, j.Int(0)),
		unknown: j.Or(j.IsNull(x), j.Compare(pipeline.OpGT, all, j.Lookup(known.Column, j.Int(0)))),
	}
	return nil
}

// certain returns which rows an anti join of NOT IN may keep.
func (j *joining) certain() *pipeline.Expr {
	return j.Or(j.Not(j.members.some), j.Not(j.members.unknown))
}

// mark returns the value of a mark join.
func (j *joining) mark() *pipeline.Expr {
	found := j.Matched(j.stage)
	if j.members == nil {
		return found
	}
	missing := j.If(j.And(j.members.some, j.members.unknown), j.Null(pipeline.Bool), j.Bool(false))
	return j.If(found, j.Bool(true), missing)
}
