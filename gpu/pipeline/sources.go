package pipeline

// Sources reports for each column whether it is a table's and pipelines read it only at the rows of their
// sources. Such a column need not be on the device as a whole: rows may come there in pieces.
func (p *Program) Sources() []bool {
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

// SourceOnly reports whether Sources is set for a column of a table.
func (p *Program) SourceOnly(relation, ordinal int) bool {
	for i, only := range p.Sources() {
		if c := &p.Columns[i]; !only && c.Relation == relation && c.Ordinal == ordinal {
			return false
		}
	}
	return true
}

// Unordered reports whether it does not matter in which order the rows of a table come, or which numbers
// they have: the pipelines over them read the table's columns alone, and insert no row numbers.
func (p *Program) Unordered(relation int) bool {
	for i := range p.Pipelines {
		if pl := &p.Pipelines[i]; pl.reads(p, relation) && pl.numbers(p) {
			return false
		}
	}
	return true
}

// reads reports whether a pipeline reads columns of a table at the rows of its source.
func (pl *Pipeline) reads(p *Program, relation int) (found bool) {
	pl.Walk(func(e *Expr) {
		found = found || e.Op == OpLoad && e.At == None && p.Columns[e.Column].Relation == relation
	})
	return found
}

// numbers reports whether a pipeline uses the numbers of its source's rows.
func (pl *Pipeline) numbers(p *Program) (found bool) {
	pl.Walk(func(e *Expr) {
		found = found || e.At == None && (e.Op == OpRow || e.Op == OpLoad && p.Columns[e.Column].Relation == None)
	})
	switch {
	case pl.Sink.Op == Put && pl.Sink.Key == nil:
		return true
	case pl.Sink.Op != Build:
		return found
	}
	x := &p.Indexes[pl.Sink.Index]
	rows := pl.Sink.Value == nil && (x.Rows || x.Heads != None)
	return found || rows || x.Next != None || len(pl.Sink.Stores) > 0
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
