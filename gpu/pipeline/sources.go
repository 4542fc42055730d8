package pipeline

// SourceOnly reports for each column whether it is a table's and pipelines read it only at the rows of their
// sources. Such a column need not be on the device as a whole: rows may come there in pieces.
func (p *Program) SourceOnly() []bool {
	out := make([]bool, len(p.Columns))
	for i := range p.Columns {
		out[i] = p.Columns[i].Relation != None
	}
	for i := range p.Pipelines {
		p.Pipelines[i].Walk(func(e *Expr) {
			if e.Op == OpLookup || e.Op == OpLoad && e.At != None {
				out[e.Column] = false
			}
		})
	}
	return out
}

// Walk calls f for all expressions of a pipeline, some more than once.
func (pl *Pipeline) Walk(f func(*Expr)) {
	walk := func(e *Expr) {
		if e != nil {
			e.Walk(f)
		}
	}
	for i := range pl.Stages {
		st := &pl.Stages[i]
		walk(st.Pred)
		walk(st.Key)
		walk(st.Where)
	}
	k := &pl.Sink
	walk(k.Key)
	walk(k.Value)
	for i := range k.Stores {
		walk(k.Stores[i].Expr)
	}
	for i := range k.Accs {
		walk(k.Accs[i].Arg)
	}
}
