package lower

import (
	"errors"

	"gsql/gpu/pipeline"
	"gsql/planner/physical"
	"gsql/sql/expr"
)

// Group joins sort the right side by one word, of the keys and the operand of the ranges. The partners of a row
// of the left side are then neighbours, whose ends searches find, and their aggregates are differences of sums.

// groupJoining is the state of lowering one group join.
type groupJoining struct {
	*windowing // of the right side
	left       *flow
	keys       int // column of the words in their order

	word  *pipeline.Expr // of a row of the right side
	span  int64          // number of values of the word's last part; 0 if the word is an operand as it is
	least int64          // of that part

	prefix *pipeline.Expr   // the word's other parts, of a row of the left side
	there  []*pipeline.Expr // what a row of the left side needs to have partners
	known  []*pipeline.Expr // what a row of the right side needs
}

func newGroupJoining(l *lowering) *groupJoining { return &groupJoining{windowing: newWindowing(l)} }

// join returns a flow over the left side with the aggregates.
func (j *groupJoining) join(n *physical.Node, op *physical.GroupJoin) (*flow, error) {
	if len(op.Where) > 0 {
		return nil, errors.New("a group join by other conditions has no device form")
	}
	left, err := j.input(n.In[0])
	if err != nil {
		return nil, err
	}
	right, err := j.input(n.In[1])
	if err != nil {
		return nil, err
	}
	j.left = left
	operands, err := j.makeWord(right, op)
	if err != nil {
		return nil, err
	}
	for _, k := range j.known {
		right.Stages = append(right.Stages, pipeline.Stage{Pred: k, Selectivity: 1})
	}
	if err := j.sort(right, n.In[1], []*pipeline.Expr{j.word}); err != nil {
		return nil, err
	}
	j.storeKeys()
	fr, err := j.partners(op, operands)
	if err != nil {
		return nil, err
	}
	matches := j.minus(fr.end, fr.first)
	values := make([]value, len(op.Aggs))
	for i, a := range op.Aggs {
		if values[i], err = fr.aggregate(a); err != nil {
			return nil, err
		}
		if a.Fn == expr.CountStar && op.Outer {
			values[i].e = j.Extreme(pipeline.OpGreater, values[i].e, j.Int(1))
		}
	}
	if !op.Outer {
		share := min(1, n.Est.Rows/max(n.In[0].Est.Rows, 1))
		left.Stages = append(left.Stages, pipeline.Stage{Pred: j.Compare(pipeline.OpGT, matches, j.Int(0)), Selectivity: share})
	}
	first := len(n.Cols) - len(op.Aggs)
	for i, v := range values {
		left.env[n.Cols[first+i].ID] = &binding{done: true, v: v}
	}
	return left, nil
}

// pair returns the operands of a condition as integers of one order.
func (j *groupJoining) pair(right *flow, l, r expr.Expr) (x, y *pipeline.Expr, err error) {
	a, errA := j.scalar(j.left.env, l)
	b, errB := j.scalar(right.env, r)
	if err := errors.Join(errA, errB); err != nil {
		return nil, nil, err
	}
	if a, b, err = (uniting{j.lowering}).alike(a, b); err != nil {
		return nil, nil, err
	}
	x, y = a.e, b.e
	switch {
	case x.Kind == pipeline.Float:
		x, y = j.Ordered(x), j.Ordered(y)
	case x.Kind == pipeline.Int128:
		return nil, nil, errLong
	}
	if x.Nullable {
		j.there = append(j.there, j.Not(j.IsNull(x)))
	}
	if y.Nullable {
		j.known = append(j.known, j.Not(j.IsNull(y)))
	}
	return x, y, nil
}

// makeWord makes the word of the right side, and returns the operands of the ranges on the left.
func (j *groupJoining) makeWord(right *flow, op *physical.GroupJoin) (operands []*pipeline.Expr, err error) {
	j.word, j.prefix, j.span = j.Int(0), j.Int(0), 1
	total := int64(1)
	for _, k := range op.Keys {
		if k.NullSafe {
			return nil, errors.New("<=> in a group join has no device form")
		}
		x, y, err := j.pair(right, k.L, k.R)
		if err != nil {
			return nil, err
		}
		if total, err = j.addKey(x, y, total); err != nil {
			return nil, err
		}
	}
	var operand *pipeline.Expr
	for i, r := range op.Ranges {
		x, y, err := j.pair(right, r.L, r.R)
		switch {
		case err != nil:
			return nil, err
		case r.Op == expr.FuncNE:
			return nil, errors.New("<> in a group join has no device form")
		case i > 0 && y != operand:
			return nil, errors.New("a group join by ranges of several columns has no device form")
		}
		operand, operands = y, append(operands, x)
	}
	if operand == nil {
		return operands, nil
	}
	return operands, j.addOperand(operand, total, len(op.Keys) > 0)
}

// addKey adds a key to the word, which has total values so far.
func (j *groupJoining) addKey(x, y *pipeline.Expr, total int64) (int64, error) {
	span := uint64(y.Max) - uint64(y.Min) + 1
	if span == 0 || span > wordMost || total > wordMost/int64(span) {
		return 0, errors.New("a group join by keys of more than 62 bits has no device form")
	}
	j.there = append(j.there, j.Compare(pipeline.OpGE, x, j.Int(y.Min)), j.Compare(pipeline.OpLE, x, j.Int(y.Max)))
	for _, side := range []struct {
		e    *pipeline.Expr
		word **pipeline.Expr
	}{{y, &j.word}, {j.between(x, y.Min, y.Max), &j.prefix}} {
		digit, err := j.Arith(pipeline.OpSub, side.e, j.Int(y.Min))
		if err != nil {
			return 0, err
		}
		scaled, err := j.Arith(pipeline.OpMul, *side.word, j.Int(int64(span)))
		if err != nil {
			return 0, err
		}
		if *side.word, err = j.Arith(pipeline.OpAdd, scaled, digit); err != nil {
			return 0, err
		}
	}
	return total * int64(span), nil
}

// addOperand adds the operand of the ranges to the word.
func (j *groupJoining) addOperand(y *pipeline.Expr, total int64, keyed bool) error {
	span := uint64(y.Max) - uint64(y.Min) + 1
	if !keyed {
		j.word, j.span = y, 0
		return nil
	}
	if span == 0 || span > wordMost || total > wordMost/int64(span) || y.Min < -1<<62 {
		return errors.New("a group join by keys and a range of more than 62 bits has no device form")
	}
	j.span, j.least = int64(span), y.Min
	digit, err := j.Arith(pipeline.OpSub, y, j.Int(y.Min))
	if err == nil {
		j.word, err = j.placed(j.word, digit)
	}
	return err
}

// placed returns the word of a prefix and a last part.
func (j *groupJoining) placed(prefix, digit *pipeline.Expr) (*pipeline.Expr, error) {
	scaled, err := j.Arith(pipeline.OpMul, prefix, j.Int(j.span))
	if err != nil {
		return nil, err
	}
	return j.Arith(pipeline.OpAdd, scaled, digit)
}

// storeKeys adds the step that stores the words in their order.
func (j *groupJoining) storeKeys() {
	c := &j.Program.Columns[j.words[0]]
	j.keys = j.array(8, j.size, 0, c.Min, c.Max)
	word := j.Lookup(j.words[0], j.row)
	j.step(pipeline.Pipeline{Name: "keys of " + j.at.Name, Sink: pipeline.Sink{Op: pipeline.Put, Stores: []pipeline.Store{{Column: j.keys, Expr: word}}}})
}

// partners returns the places of the partners of a row of the left side.
func (j *groupJoining) partners(op *physical.GroupJoin, operands []*pipeline.Expr) (fr *frame, err error) {
	first, end := j.Int(0), j.rows
	if len(op.Keys) > 0 {
		first, end, err = j.ofPrefix()
	}
	for i, r := range op.Ranges {
		if err != nil {
			return nil, err
		}
		switch r.Op {
		case expr.FuncLT, expr.FuncLE: // of the left side to the right one
			var from *pipeline.Expr
			from, err = j.position(operands[i], r.Op == expr.FuncLT)
			first = j.later(first, from)
		case expr.FuncGT, expr.FuncGE:
			var to *pipeline.Expr
			to, err = j.position(operands[i], r.Op == expr.FuncGE)
			end = j.earlier(end, to)
		default:
			err = errors.New("a group join by other ranges has no device form")
		}
	}
	if err != nil {
		return nil, err
	}
	if len(j.there) > 0 {
		there := j.And(j.there...)
		first, end = j.If(there, first, j.Int(0)), j.If(there, end, j.Int(0))
	}
	return &frame{windowing: j.windowing, first: first, end: j.later(first, end), empty: true, of: "in a group join"}, nil
}

// later returns the later of two places.
func (j *groupJoining) later(x, y *pipeline.Expr) *pipeline.Expr {
	if y == nil {
		return x
	}
	return j.Extreme(pipeline.OpGreater, x, y)
}

// earlier returns the earlier of two places.
func (j *groupJoining) earlier(x, y *pipeline.Expr) *pipeline.Expr {
	if y == nil {
		return x
	}
	return j.Extreme(pipeline.OpLess, x, y)
}

// ofPrefix returns the places of the rows with the keys of a row of the left side.
func (j *groupJoining) ofPrefix() (first, end *pipeline.Expr, err error) {
	low, err := j.placed(j.prefix, j.Int(0))
	if err != nil {
		return nil, nil, err
	}
	high, err := j.placed(j.prefix, j.Int(j.span-1))
	if err != nil {
		return nil, nil, err
	}
	return j.Below(j.keys, low, j.rows, false), j.Below(j.keys, high, j.rows, true), nil
}

// position returns the place of the first row whose operand is not less than x or, if after is set, greater.
func (j *groupJoining) position(x *pipeline.Expr, after bool) (*pipeline.Expr, error) {
	if j.span == 0 {
		return j.Below(j.keys, x, j.rows, after), nil
	}
	// Beyond the values of the right side, the place is that of the first or after the last row of the keys.
	least, most := j.least, j.least+j.span
	if after {
		least, most = least-1, most-1
	}
	digit, err := j.Arith(pipeline.OpSub, j.between(x, least, most), j.Int(j.least))
	if err != nil {
		return nil, err
	}
	word, err := j.placed(j.prefix, digit)
	if err != nil {
		return nil, err
	}
	return j.Below(j.keys, word, j.rows, after), nil
}
