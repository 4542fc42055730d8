package lower

import (
	"fmt"

	"gsql/gpu/pipeline"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
)

// Refusal is the reason why a subtree cannot run on a device.
type Refusal struct {
	Node *physical.Node // the operator that prevents it
	Why  string
}

// Error implements error.
func (r *Refusal) Error() string { return r.Why }

// Lower returns the program of the subtree below root. The error is a *Refusal with the reason why
// there is no program. The sizes of hash indexes and of columns between pipelines follow from
// estimates, and keys are assumed to be unique if statistics suggest so.
func Lower(root *physical.Node, cols Columns) (*Query, error) {
	return LowerFor(root, cols, Options{More: 1})
}

// Options describe a program that replaces one whose assumptions were wrong.
type Options struct {
	More    float64 // multiple of the estimated rows that it allows for
	Repeats bool    // keys are unique only if a table's definition says so
	// Passes is the number of passes of the join with the largest index, if more than 1. It is at most
	// MostPasses.
	Passes int
}

// MostPasses is the most passes that a join may take.
const MostPasses = 64

// LowerFor is Lower with options.
func LowerFor(root *physical.Node, cols Columns, o Options) (*Query, error) {
	q, err := lowerWith(root, cols, o, passing{index: -1})
	if err != nil || o.Passes <= 1 {
		return q, err
	}
	index, ok := q.Program.LargestIndex()
	if !ok {
		return nil, &Refusal{root, "no join that could take passes"}
	}
	return lowerWith(root, cols, o, passing{index: index, count: o.Passes})
}

func lowerWith(root *physical.Node, cols Columns, o Options, in passing) (*Query, error) {
	l := &lowering{
		passing: in,
		scalars: scalars{exact{pipeline.NewBuilder()}}, known: cols, q: &Query{}, factor: o.More, repeats: o.Repeats,
		relations: map[catalog.Table]int{}, base: map[[2]int]int{}, spans: map[int]span{}, shared: map[int]*physical.Node{}, late: Late(root, cols),
	}
	l.q.Program = l.Program
	l.findShared(root)
	f, err := l.node(root)
	if err != nil {
		return nil, refusal(root, err)
	}
	if err = l.result(f, root); err == nil {
		err = l.valuesInIndexes()
	}
	if err == nil {
		err = l.finishPasses()
	}
	if err != nil {
		return nil, refusal(root, err)
	}
	return l.q, nil
}

func refusal(n *physical.Node, err error) error {
	if r, ok := err.(*Refusal); ok {
		return r
	}
	return &Refusal{n, err.Error()}
}

// scalars converts SQL's expressions.
type scalars struct{ exact }

// lowering is the state of one call of Lower.
type lowering struct {
	scalars
	known     Columns
	q         *Query
	relations map[catalog.Table]int
	base      map[[2]int]int         // columns of the program by relation and ordinal
	shared    map[int]*physical.Node // inputs of Shared nodes by their IDs
	factor    float64                // of estimates
	repeats   bool                   // as in Options
	passing   passing
	spans     map[int]span        // by index of a join
	late      map[expr.ColID]bool // columns that are not on the device
}

// span holds the number of possible keys of a join and the number of build rows.
type span struct{ values, rows int64 }

// flow is a pipeline without a sink: rows of a source and the stages that they have passed.
type flow struct {
	pipeline.Pipeline
	env  map[expr.ColID]*binding
	est  float64 // estimated output rows
	most float64 // maximum output rows
	many bool    // a stage multiplies rows

	order *ordering // nil: the rows are in no particular order, and all of them are needed
}

// binding is a column of an operator's output. It is computed at its first use.
type binding struct {
	make func() (value, error)
	over overFunc // nil if functions of the column are not computed by the host
	done bool
	v    value
	err  error
}

// overFunc returns a call over a column as a Derived one; ok is false if it cannot be.
type overFunc func(c *expr.Call, col *expr.Col) (v value, ok bool, err error)

func (b *binding) value() (value, error) {
	if !b.done {
		b.v, b.err = b.make()
		b.done = true
	}
	return b.v, b.err
}

// node returns the flow of an operator's output.
func (l *lowering) node(n *physical.Node) (f *flow, err error) {
	switch op := n.Op.(type) {
	case *physical.Scan:
		f, err = l.scan(n, op)
	case *physical.Filter:
		if f, err = l.input(n.In[0]); err == nil {
			err = l.filter(f, op.Preds, n.Est.Rows)
		}
	case *physical.Project:
		f, err = l.project(n, op)
	case *physical.Join:
		f, err = l.join(n, op)
	case *physical.HashAgg:
		f, err = l.group(n, op)
	case *physical.SetOp:
		f, err = uniting{l}.union(n, op)
	case *physical.Sort:
		f, err = ordered{l}.sort(n, op)
	case *physical.GroupJoin:
		f, err = newGroupJoining(l).join(n, op)
	case *physical.Window:
		f, err = newWindowing(l).window(n, op)
	case *physical.Limit:
		f, err = l.limit(n, op)
	case *physical.Shared:
		f, err = l.sharedFlow(n, op)
	case *physical.ToDevice, *physical.FromDevice:
		f, err = l.node(n.In[0])
	default:
		name, _ := n.Op.Describe()
		return nil, &Refusal{n, "no device form of " + name}
	}
	if err != nil {
		return nil, refusal(n, err)
	}
	f.est = n.Est.Rows
	return f, nil
}

// relation returns the number of a table.
func (l *lowering) relation(t catalog.Table) int {
	r, ok := l.relations[t]
	if !ok {
		r = len(l.q.Relations)
		l.q.Relations = append(l.q.Relations, Relation{Table: t})
		l.relations[t] = r
	}
	return r
}

func (l *lowering) scan(n *physical.Node, op *physical.Scan) (*flow, error) {
	if op.Keys != nil {
		return nil, fmt.Errorf("rows are found by key")
	}
	relation, rows := l.relation(op.Table), l.known.Rows(op.Table)
	if rows >= 1<<32-1 {
		return nil, fmt.Errorf("%s has too many rows", op.Table.Name())
	}
	f := &flow{Pipeline: pipeline.Pipeline{Name: op.Table.Name(), Rows: rows, Counted: pipeline.None}, env: map[expr.ColID]*binding{}, most: float64(rows)}
	for i, c := range n.Cols {
		ordinal := op.Ordinals[i]
		if l.late[c.ID] {
			f.env[c.ID] = &binding{done: true, v: value{e: l.Row(pipeline.None, rows, false), late: &place{relation, ordinal}}}
			continue
		}
		b := &binding{make: func() (value, error) { return l.baseValue(op.Table, relation, ordinal, c.T) }}
		if l.known.Raw(op.Table, ordinal) {
			b.over = func(c *expr.Call, col *expr.Col) (value, bool, error) {
				return l.derived(op.Table, relation, ordinal, c, col)
			}
		}
		f.env[c.ID] = b
	}
	return f, l.filter(f, op.Preds, n.Est.Rows)
}

// filter adds predicates, in their order.
func (l *lowering) filter(f *flow, preds []expr.Expr, rows float64) error {
	for _, p := range preds {
		t, err := l.truth(f.env, p)
		if err != nil {
			return err
		}
		if t.IsConst() && t.Value != 0 {
			continue
		}
		f.Stages = append(f.Stages, pipeline.Stage{Pred: t, Selectivity: min(1, rows/max(f.most, 1))})
	}
	return nil
}

func (l *lowering) project(n *physical.Node, op *physical.Project) (*flow, error) {
	f, err := l.node(n.In[0])
	if err != nil {
		return nil, err
	}
	from := f.env
	f.env = map[expr.ColID]*binding{}
	for i, e := range op.Exprs {
		b := &binding{make: func() (value, error) { return l.scalar(from, e) }}
		if col, ok := e.(*expr.Col); ok && from[col.ID] != nil {
			b.over = from[col.ID].over
		}
		f.env[n.Cols[i].ID] = b
	}
	// Values are computed where they are used, but refusals must be reported before the subtree
	// runs.
	for _, c := range n.Cols {
		if f.env[c.ID].over != nil {
			continue // maybe only functions of it are used
		}
		if _, err := f.env[c.ID].value(); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// findShared records the inputs of Shared nodes.
func (l *lowering) findShared(n *physical.Node) {
	if s, ok := n.Op.(*physical.Shared); ok && len(n.In) > 0 {
		l.shared[s.ID] = n.In[0]
	}
	for _, in := range n.In {
		l.findShared(in)
	}
}

// sharedFlow computes a shared input anew for each use.
func (l *lowering) sharedFlow(n *physical.Node, op *physical.Shared) (*flow, error) {
	in := l.shared[op.ID]
	if in == nil {
		return nil, fmt.Errorf("what it shares is computed elsewhere")
	}
	f, err := l.input(in)
	if err != nil {
		return nil, err
	}
	env := map[expr.ColID]*binding{}
	for i, c := range n.Cols {
		from := i
		if op.At != nil {
			from = op.At[i]
		}
		env[c.ID] = f.env[in.Cols[from].ID]
	}
	f.env = env
	return f, nil
}
