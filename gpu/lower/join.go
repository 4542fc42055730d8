package lower

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gsql/gpu/pipeline"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/expr"
)

// joining is the state of lowering one join.
type joining struct {
	*lowering
	op       *physical.Join
	probe    *flow
	build    *flow
	stage    int      // of the probe
	pipeline int      // of the build
	stored   []stored // values that the build side stores for the probe side
	pairs    []physical.KeyPair
	rest     []expr.Expr // other conditions
	index    int
	padded   bool
	members  *members // nil unless IN or NOT IN depends on NULLs
	single   bool     // the build side has at most one row for a key
}

type stored struct {
	of   *pipeline.Expr
	load *pipeline.Expr
}

var joinKinds = map[logical.JoinKind]pipeline.Join{
	logical.Inner: pipeline.Inner, logical.Left: pipeline.Left, logical.Semi: pipeline.Semi, logical.Anti: pipeline.Anti,
	logical.Mark: pipeline.Mark, logical.Single: pipeline.Left, logical.Full: pipeline.Left,
}

// join returns the flow of the probe side with one more stage. The other input is the build side.
func (l *lowering) join(n *physical.Node, op *physical.Join) (*flow, error) {
	kind := joinKinds[op.Type]
	left, err := l.input(n.In[0])
	if err != nil {
		return nil, err
	}
	right, err := l.input(n.In[1])
	if err != nil {
		return nil, err
	}
	j := &joining{lowering: l, op: op, probe: left, build: right, padded: kind == pipeline.Left}
	j.conditions()
	built := n.In[1]
	if op.Type == logical.Inner && j.buildsLeft(n) {
		j.probe, j.build, built = right, left, n.In[0]
		j.pairs = mirroredPairs(j.pairs)
	}
	if j.build.many {
		if j.build, err = l.materialised(j.build, built); err != nil {
			return nil, err
		}
	}
	known, likely := j.unique(built, j.pairs)
	j.single = known || likely && op.Type != logical.Single
	if op.Type == logical.Single && !j.single {
		return nil, errors.New("a subquery may return more than one row")
	}
	source := j.build.Pipeline
	if err := j.link(kind); err != nil {
		return nil, err
	}
	if x := &l.Program.Indexes[j.index]; x.Heads != pipeline.None || x.Rows {
		x.Unique = j.single && !known
	}
	f, err := j.output(n, kind)
	if err == nil && op.Type == logical.Full {
		f, err = j.full(n, f, source)
	}
	return f, err
}

// uniqueWorth is the factor by which a build side with unique keys may have more rows than the
// other side: chains cost two more random accesses for each row of the probe side.
const uniqueWorth = 4

// buildsLeft reports whether the left input of an inner join is the build side.
func (j *joining) buildsLeft(n *physical.Node) bool {
	left, right := j.probe.est, j.build.est
	knownLeft, likelyLeft := j.unique(n.In[0], mirroredPairs(j.pairs))
	knownRight, likelyRight := j.unique(n.In[1], j.pairs)
	if knownLeft || likelyLeft {
		left /= uniqueWorth
	}
	if knownRight || likelyRight {
		right /= uniqueWorth
	}
	return left < right
}

// unique reports whether it is known or likely that no two rows of an input have the same values in
// the right operands of pairs.
func (j *joining) unique(n *physical.Node, pairs []physical.KeyPair) (known, likely bool) {
	return uniqueOn(n, pairs), !j.repeats && seemsUnique(n, pairs)
}

func mirroredPairs(pairs []physical.KeyPair) []physical.KeyPair {
	out := slices.Clone(pairs)
	for i, p := range pairs {
		out[i].L, out[i].R = p.R, p.L
	}
	return out
}

// conditions splits the join's conditions into equalities between the sides and others.
func (j *joining) conditions() {
	j.pairs = append(j.pairs, j.op.Keys...)
	for _, r := range j.op.Ranges {
		j.rest = append(j.rest, &expr.Call{Fn: r.Op, Args: []expr.Expr{r.L, r.R}, T: truthType, Pos: -1})
	}
	for _, e := range j.op.Residual {
		c, ok := e.(*expr.Call)
		switch {
		case !ok || c.Fn != expr.FuncEQ:
		case of(c.Args[0], j.probe.env) && of(c.Args[1], j.build.env):
			j.pairs = append(j.pairs, physical.KeyPair{L: c.Args[0], R: c.Args[1]})
			continue
		case of(c.Args[1], j.probe.env) && of(c.Args[0], j.build.env):
			j.pairs = append(j.pairs, physical.KeyPair{L: c.Args[1], R: c.Args[0]})
			continue
		}
		j.rest = append(j.rest, e)
	}
}

// of reports whether an expression refers to at least one of some columns and to no others.
func of(e expr.Expr, in env) bool {
	any, all := false, true
	expr.Walk(e, func(e expr.Expr) bool {
		if c, ok := e.(*expr.Col); ok {
			any = true
			all = all && in[c.ID] != nil
		}
		return true
	})
	return any && all
}

// crossMost is the maximum number of rows that a join without an equality pairs with each row.
const crossMost = 64

// link builds the index and adds the stage that probes it.
func (j *joining) link(kind pipeline.Join) error {
	if err := j.crossable(); err != nil {
		return err
	}
	if j.op.NullAware {
		if err := j.countMembers(); err != nil {
			return err
		}
	}
	return j.connect(kind)
}

// crossable returns an error if a join has no equality and too many rows.
func (j *joining) crossable() error {
	if len(j.pairs) == 0 && j.build.est > crossMost {
		return errors.New("a join without an equality has no device form")
	}
	return nil
}

// connect adds the pipeline that builds the index, and the stage that probes it.
func (j *joining) connect(kind pipeline.Join) error {
	buildKey, probeKey, values, err := j.keys()
	if err != nil {
		return err
	}
	set := kind != pipeline.Inner && kind != pipeline.Left && len(j.rest) == 0
	j.addIndex(values, set)
	j.pipeline = len(j.Program.Pipelines)
	p := j.build.Pipeline
	if err := j.passes(&p, buildKey, probeKey); err != nil {
		return err
	}
	p.Sink = pipeline.Sink{Op: pipeline.Build, Index: j.index, Key: buildKey}
	j.Program.Pipelines = append(j.Program.Pipelines, p)
	if kind == pipeline.Anti && j.members != nil {
		j.probe.Stages = append(j.probe.Stages, pipeline.Stage{Pred: j.certain(), Selectivity: 1})
	}
	j.stage = len(j.probe.Stages)
	j.probe.Stages = append(j.probe.Stages, pipeline.Stage{Join: kind, Index: j.index, Key: probeKey, Selectivity: 1})
	return nil
}

// directMost is the most slots of a direct index.
const directMost = 1 << 29

// addIndex adds an index of the build side's keys, which have the given number of values.
func (j *joining) addIndex(values int64, set bool) {
	rows := float64(j.build.Rows)
	x := pipeline.NewIndex(false, values)
	switch {
	case len(j.Program.Indexes) == j.passing.index:
		x = j.slots(values, !set)
	case set && fitsBits(values, j.build.Rows):
		x.Bits = j.array(4, (x.Size+31)/32, 0, 0, 0)
	case float64(values) > max(1<<16, 8*rows) || values > directMost:
		x = j.slots(values, !set)
	default:
		x.Heads = j.array(4, x.Size, -1, -1, 1<<32-1)
	}
	if !set && !j.single {
		x.Next = j.array(4, j.build.Rows, 0, 0, 1<<32-1)
	}
	j.index = j.lowering.addIndex(x)
	j.spans[j.index] = span{values, j.build.Rows}
}

// fitsBits reports whether a set of keys is a bit for each of their values: these are no larger than a
// hash index for so many rows.
func fitsBits(values, rows int64) bool {
	return values <= max(1<<16, 64*rows) && values <= 8*directMost
}

// slots returns a hash index with twice as many slots as the maximum number of keys, or as four
// times the estimated number.
func (j *joining) slots(values int64, rows bool) pipeline.Index {
	x := pipeline.NewIndex(true, 0)
	x.Wide, x.Rows = values >= 1<<32, rows
	keys := min(max(2*j.build.est*j.factor, 1024), max(float64(j.build.Rows), 1), 1<<30)
	if len(j.Program.Indexes) == j.passing.index { // parts differ in size, those of few keys more than others
		keys = min(keys, 1.1*keys/float64(j.passing.count)+256)
	}
	count := pipeline.BucketBytes / x.SlotBytes()
	x.Size = (2*int64(keys) + count) / count * count
	width := min(x.SlotBytes(), 8)
	x.Slots = j.array(int(width), x.Size*x.SlotBytes()/width, -1, -1, math.MaxInt64)
	return x
}

// pairEnv returns the columns of pairs of rows.
func (j *joining) pairEnv() env {
	own, built := j.probe.env, j.build.env
	out := make(env, len(own)+len(built))
	for id, b := range own {
		out[id] = b
	}
	for id, b := range built {
		out[id] = &binding{make: func() (value, error) { return j.carried(b) }, over: j.over(b)}
	}
	return out
}

// condition sets the stage's condition.
func (j *joining) condition() error {
	if len(j.rest) == 0 {
		return nil
	}
	pairs, conds := j.pairEnv(), make([]*pipeline.Expr, len(j.rest))
	for i, e := range j.rest {
		var err error
		if conds[i], err = j.truth(pairs, e); err != nil {
			return err
		}
	}
	j.probe.Stages[j.stage].Where = j.And(conds...)
	return nil
}

// output returns the probe side's flow with the columns of the result.
func (j *joining) output(n *physical.Node, kind pipeline.Join) (*flow, error) {
	f, built, own := j.probe, j.build.env, j.probe.env
	f.env = j.pairEnv()
	st := &f.Stages[j.stage]
	if err := j.condition(); err != nil {
		return nil, err
	}
	switch kind {
	case pipeline.Inner, pipeline.Left:
		if !j.single {
			f.many = true
			f.most *= max(j.build.most, 1)
		}
	default:
		for id := range built {
			delete(f.env, id)
		}
		for id, b := range own {
			f.env[id] = b
		}
	}
	if kind == pipeline.Mark {
		f.env[j.op.MarkID] = &binding{make: func() (value, error) { return value{e: j.mark()}, nil }}
	}
	st.Selectivity = n.Est.Rows / max(f.est, 1)
	for _, c := range n.Cols { // reports columns without a device form early
		if b := f.env[c.ID]; b == nil {
			return nil, fmt.Errorf("no column %s", c.Name)
		}
	}
	return f, nil
}

// carried returns a value of the build side at the row that the probe found. Columns of its source
// are read in place; other values are stored.
func (j *joining) carried(b *binding) (value, error) {
	v, err := b.value()
	if err == nil {
		v, err = j.settled(v)
	}
	switch {
	case err != nil:
		return v, err
	case v.e == nil:
		return v, nil
	}
	if v.e, err = j.fetched(v.e); err != nil {
		return v, err
	}
	return v, nil
}

func (j *joining) fetched(e *pipeline.Expr) (*pipeline.Expr, error) {
	switch {
	case e.IsConst() && !j.padded:
		return e, nil
	case e.Op == pipeline.OpNull:
		return e, nil
	case e.Op == pipeline.OpLoad && e.At == pipeline.None:
		return j.Load(e.Column, j.stage, j.padded), nil
	case e.Op == pipeline.OpRow && e.At == pipeline.None:
		return j.Row(j.stage, e.Max+1, j.padded), nil
	}
	at := slices.IndexFunc(j.stored, func(s stored) bool { return s.of == e })
	if at >= 0 {
		return j.stored[at].load, nil
	}
	stores, loaded := j.cell(e, j.build.Rows)
	sink := &j.Program.Pipelines[j.pipeline].Sink
	sink.Stores = append(sink.Stores, stores...)
	load := loaded(j.stage, j.padded)
	j.stored = append(j.stored, stored{e, load})
	return load, nil
}
