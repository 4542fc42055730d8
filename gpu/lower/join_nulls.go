package lower

import (
	"errors"
	"math"

	"gsql/gpu/pipeline"
)

// members is what IN and NOT IN must know of the build side besides its keys, if there may be NULLs on
// one of the sides: IN is NULL if nothing was found and one of the values compared is NULL.
type members struct {
	some    *pipeline.Expr // whether the build side has rows
	unknown *pipeline.Expr // whether the key, or a row of the build side, is NULL
}

// countMembers adds a pipeline that counts the rows of the build side, and those whose key is not NULL,
// unless neither side has NULLs.
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
	case len(j.rest) > 0:
		return errors.New("IN with other conditions has no device form")
	case !nullable:
		return nil
	case len(j.pairs) != 1:
		return errors.New("IN over rows of values that may be NULL has no device form")
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
