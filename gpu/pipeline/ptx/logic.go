package ptx

import (
	"fmt"

	"gsql/gpu/pipeline"
)

// A truth value consists of two predicates for each row: whether it is true, and whether it is
// false. NULL is neither. Each predicate is computed only if it is needed.

// truth returns for which rows e is true.
func (k *expressions) truth(e *pipeline.Expr) ([]string, error) {
	return k.once(k.truths, e, k.isTrue)
}

// falsity returns for which rows e is false.
func (k *expressions) falsity(e *pipeline.Expr) ([]string, error) {
	return k.once(k.falses, e, k.isFalse)
}

func (k *expressions) once(known map[*pipeline.Expr][]string, e *pipeline.Expr, write func(*pipeline.Expr) ([]string, error)) ([]string, error) {
	if p, ok := known[e]; ok {
		return p, nil
	}
	p, err := write(e)
	if err == nil {
		known[e] = p
	}
	return p, err
}

func (k *expressions) isTrue(e *pipeline.Expr) ([]string, error) {
	switch e.Op {
	case pipeline.OpConst:
		return k.constantTruth(e.Value != 0), nil
	case pipeline.OpNull:
		return k.constantTruth(false), nil
	case pipeline.OpAnd:
		return k.all(e.Args, k.truth, k.both)
	case pipeline.OpOr:
		return k.all(e.Args, k.truth, k.either)
	case pipeline.OpNot:
		return k.falsity(e.Args[0])
	case pipeline.OpIsNull:
		return k.isNull(e.Args[0])
	case pipeline.OpMatched:
		return k.stages[e.At].found, nil
	case pipeline.OpIf:
		return k.chooseTruth(e, k.truth)
	}
	if name, ok := comparisons[e.Op]; ok {
		return k.compare(e, name)
	}
	return nil, fmt.Errorf("operation %d as a truth value", e.Op)
}

func (k *expressions) isFalse(e *pipeline.Expr) ([]string, error) {
	switch e.Op {
	case pipeline.OpAnd:
		return k.all(e.Args, k.falsity, k.either)
	case pipeline.OpOr:
		return k.all(e.Args, k.falsity, k.both)
	case pipeline.OpNot:
		return k.truth(e.Args[0])
	case pipeline.OpNull:
		return k.constantTruth(false), nil
	case pipeline.OpIf:
		return k.chooseTruth(e, k.falsity)
	}
	t, err := k.truth(e)
	if err != nil || !e.Nullable {
		return k.inverse(t), err
	}
	if _, ok := comparisons[e.Op]; !ok {
		return nil, fmt.Errorf("operation %d as a truth value", e.Op)
	}
	_, ok, err := k.arguments(e)
	if err != nil {
		return nil, err
	}
	return k.both(k.inverse(t), k.known(ok)), nil
}

var comparisons = map[pipeline.Op]string{
	pipeline.OpEQ: "eq", pipeline.OpNE: "ne", pipeline.OpLT: "lt", pipeline.OpLE: "le", pipeline.OpGT: "gt", pipeline.OpGE: "ge",
}

func (k *expressions) compare(e *pipeline.Expr, name string) ([]string, error) {
	args, ok, err := k.arguments(e)
	if err != nil {
		return nil, err
	}
	if e.Args[0].Kind == pipeline.Int128 {
		out := k.longs().compare128(e.Op, args[0], args[1])
		if ok != nil {
			out = k.both(out, ok)
		}
		return out, nil
	}
	out := k.regs("p")
	for i, p := range out {
		k.op("setp.%s.%s %s, %s, %s", name, args[0].typ(), p, args[0].reg[i], args[1].reg[i])
	}
	if ok != nil {
		out = k.both(out, ok)
	}
	return out, nil
}

// all combines the predicates of several expressions.
func (k *expressions) all(es []*pipeline.Expr, of func(*pipeline.Expr) ([]string, error), with func(a, b []string) []string) ([]string, error) {
	var out []string
	for _, e := range es {
		p, err := of(e)
		if err != nil {
			return nil, err
		}
		if out == nil {
			out = p
		} else {
			out = with(out, p)
		}
	}
	return out, nil
}

// chooseTruth returns what of returns for the argument that an OpIf of truth values chooses.
func (k *expressions) chooseTruth(e *pipeline.Expr, of func(*pipeline.Expr) ([]string, error)) ([]string, error) {
	cond, err := k.truth(e.Args[0])
	if err != nil {
		return nil, err
	}
	yes, err := of(e.Args[1])
	if err != nil {
		return nil, err
	}
	no, err := of(e.Args[2])
	if err != nil {
		return nil, err
	}
	return k.either(k.both(cond, yes), k.both(k.inverse(cond), no)), nil
}

// isNull returns for which rows e is NULL.
func (k *expressions) isNull(e *pipeline.Expr) ([]string, error) {
	if e.Kind != pipeline.Bool {
		v, err := k.value(e)
		if err != nil {
			return nil, err
		}
		return k.inverse(k.known(v.ok)), nil
	}
	t, err := k.truth(e)
	if err != nil {
		return nil, err
	}
	f, err := k.falsity(e)
	if err != nil {
		return nil, err
	}
	return k.inverse(k.either(t, f)), nil
}

func (k *writer) both(a, b []string) []string   { return k.combine("and", a, b) }
func (k *writer) either(a, b []string) []string { return k.combine("or", a, b) }

func (k *writer) combine(op string, a, b []string) []string {
	out := k.regs("p")
	for i, p := range out {
		k.op("%s.pred %s, %s, %s", op, p, a[i], b[i])
	}
	return out
}

func (k *writer) inverse(a []string) []string {
	out := k.regs("p")
	for i, p := range out {
		k.op("not.pred %s, %s", p, a[i])
	}
	return out
}

// constantTruth returns predicates that are all set or all not.
func (k *writer) constantTruth(v bool) []string {
	p, value := k.reg("p"), 0
	if v {
		value = 1
	}
	k.op("mov.pred %s, %d", p, value)
	return k.same(p)
}
