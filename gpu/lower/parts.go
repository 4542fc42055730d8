package lower

import (
	"errors"
	"fmt"

	"gsql/gpu/pipeline"
)

// A join whose index does not fit the device takes passes: each builds the index of a part of the keys and
// probes it with the other side's rows of that part. What the rows end in, groups or a result, is there once and
// collects the rows of all passes. A part is a hash of the key modulo the number of passes.

// passing is the join that takes passes.
type passing struct {
	index  int // number of its index; -1: none
	count  int
	column int // of the number of the pass
}

// largest returns the index of a join that takes most memory among those that one pipeline builds and one probes.
func largest(p *pipeline.Program) (index int, ok bool) {
	most := int64(0)
	for i := range p.Indexes {
		_, _, err := ends(p, i)
		if bytes := indexBytes(p, i); err == nil && bytes > most {
			index, most = i, bytes
		}
	}
	return index, most > 0
}

func indexBytes(p *pipeline.Program, i int) (bytes int64) {
	x := &p.Indexes[i]
	for _, c := range []int{x.Slots, x.Heads, x.Bits} {
		if c != pipeline.None {
			bytes += p.Columns[c].Size * int64(p.Columns[c].Width)
		}
	}
	return bytes
}

// ends returns the pipelines that build and that probe the index of a join. The error says why they cannot be
// repeated.
func ends(p *pipeline.Program, index int) (build, probe int, err error) {
	build, probe = pipeline.None, pipeline.None
	builds, probes := 0, 0
	for i := range p.Pipelines {
		pl := &p.Pipelines[i]
		if pl.Bound == nil && pl.Sink.Op == pipeline.Build && pl.Sink.Index == index {
			build, builds = i, builds+1
		}
		for s := range pl.Stages {
			if pl.Stages[s].Pred == nil && pl.Stages[s].Index == index {
				probe, probes = i, probes+1
			}
		}
	}
	if builds != 1 || probes != 1 || probe < build {
		return 0, 0, fmt.Errorf("an index that %d pipelines build and %d probe takes no passes", builds, probes)
	}
	return build, probe, nil
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
	build, probe, err := ends(l.Program, l.passing.index)
	if err == nil && l.Program.Indexes[l.passing.index].Slots == pipeline.None {
		err = errors.New("an index without slots takes no passes")
	}
	l.Program.Passes = &pipeline.Passes{Count: l.passing.count, Part: l.passing.column, Index: l.passing.index, Build: build, Probe: probe}
	return err
}
