package pipelinetest

import (
	"encoding/binary"
	"math"
	"slices"

	"gsql/gpu/pipeline"
)

// Column is a column on the host: Ints or Floats, depending on its kind, and which rows are not
// NULL. Valid is nil if no row is NULL.
type Column struct {
	Ints   []int64
	Floats []float64
	Valid  []bool
}

// Outcome is what a run of a program has led to. There is no result if it was full or failed.
type Outcome struct {
	Columns []Column // of the result, whose rows are in no particular order
	Rows    int
	// Full reports whether an index or the columns of a Write were too short for all rows, or a key was
	// inserted twice into an index of unique keys.
	Full   bool
	Failed bool // whether an operation failed for a row that needed it
	Zeros  int  // divisions by 0 of such rows
}

// Run returns the Outcome of a program that does not fail.
func Run(p *pipeline.Program, base func(column int) Column) (result []Column, rows int, full bool) {
	o := Execute(p, base)
	if o.Failed {
		panic("a program failed")
	}
	return o.Columns, o.Rows, o.Full
}

// Execute runs a program over base columns, which base returns by their numbers.
func Execute(p *pipeline.Program, base func(column int) Column) (o Outcome) {
	m := &machine{
		p: p, columns: make([]Column, len(p.Columns)),
		slots: make([]map[int64]int64, len(p.Indexes)), heads: make([]map[int64]int64, len(p.Indexes)),
	}
	for i := range p.Columns {
		m.columns[i] = m.initial(i, base)
	}
	for i := range p.Indexes {
		m.slots[i], m.heads[i] = map[int64]int64{}, map[int64]int64{}
	}
	for i := range p.Pipelines {
		m.pipeline(&p.Pipelines[i])
		if s := p.Passes; s != nil && i == s.Probe {
			m.passes(s)
		}
	}
	if m.full || m.failed {
		return Outcome{Full: m.full, Failed: m.failed}
	}
	o.Zeros = m.zeros
	o.Rows = int(m.columns[p.Result.Count].Ints[0])
	for _, c := range p.Result.Columns { // a Partial one has dropped the others
		o.Rows = min(o.Rows, int(p.Columns[c].Size))
	}
	for _, c := range p.Result.Columns {
		o.Columns = append(o.Columns, m.columns[c].first(o.Rows))
	}
	return o
}

func (c Column) first(n int) Column {
	if c.Floats != nil {
		return Column{Floats: c.Floats[:n]}
	}
	return Column{Ints: c.Ints[:n]}
}

// machine is the state of a run.
type machine struct {
	p       *pipeline.Program
	columns []Column
	slots   []map[int64]int64 // of hash indexes of groups, by key
	heads   []map[int64]int64 // last rows of hash indexes of joins, by key
	full    bool
	failed  bool // an operation has failed
	zeros   int  // divisions by 0
}

func (m *machine) initial(i int, base func(int) Column) Column {
	c := &m.p.Columns[i]
	switch {
	case c.Data != nil:
		return constants(c)
	case c.Relation != pipeline.None:
		return base(i)
	case c.Kind == pipeline.Float:
		out := Column{Floats: make([]float64, c.Size)}
		for r := range out.Floats {
			out.Floats[r] = math.Float64frombits(uint64(c.Init))
		}
		return out
	}
	out := Column{Ints: make([]int64, c.Size)}
	for r := range out.Ints {
		out.Ints[r] = c.Init
	}
	return out
}

// constants reads a table of constants.
func constants(c *pipeline.Column) Column {
	n := len(c.Data) / c.Width
	if c.Kind == pipeline.Float {
		out := Column{Floats: make([]float64, n)}
		for i := range out.Floats {
			out.Floats[i] = math.Float64frombits(binary.LittleEndian.Uint64(c.Data[8*i:]))
		}
		return out
	}
	out := Column{Ints: make([]int64, n)}
	for i := range out.Ints {
		var raw [8]byte
		copy(raw[:], c.Data[i*c.Width:(i+1)*c.Width])
		out.Ints[i] = int64(binary.LittleEndian.Uint64(raw[:])) + c.Bias
	}
	return out
}

// passes runs the passes after the first.
func (m *machine) passes(s *pipeline.Passes) {
	for pass := 1; pass < s.Count; pass++ {
		m.heads[s.Index] = map[int64]int64{}
		m.columns[s.Part].Ints[0] = int64(pass)
		m.pipeline(&m.p.Pipelines[s.Build])
		m.pipeline(&m.p.Pipelines[s.Probe])
	}
}

func (m *machine) pipeline(pl *pipeline.Pipeline) {
	switch {
	case pl.Bound != nil:
		m.bound(pl.Bound)
		return
	case pl.Prebuilt():
		Prebuilt(pl, func(column, rows int) []int64 { return m.columns[column].Ints[:rows] }, func(column int, values []int64) { copy(m.columns[column].Ints, values) })
		return
	}
	rows := pl.Rows
	if pl.Counted != pipeline.None {
		rows = min(rows, m.columns[pl.Counted].Ints[0])
	}
	for row := range rows {
		if pl.Sample > 1 && row/pipeline.SampleRows%pl.Sample != 0 {
			continue
		}
		r := &passing{machine: m, pl: pl, row: row, match: make([]int64, len(pl.Stages))}
		r.stage(0)
	}
}

func (m *machine) bound(b *pipeline.Bound) {
	words := m.columns[b.Words].Ints
	words = slices.Sorted(slices.Values(words[:min(m.columns[b.Count].Ints[0], int64(len(words)))]))
	to := &m.columns[b.To].Ints[0]
	if *to = math.MaxInt64; b.Need <= int64(len(words)) {
		*to = words[b.Need-1]
	}
}

// passing is one row on its way through a pipeline.
type passing struct {
	*machine
	pl    *pipeline.Pipeline
	row   int64
	match []int64 // rows that stages found, -1 for none
}

func (r *passing) stage(i int) {
	if i == len(r.pl.Stages) {
		r.sink()
		return
	}
	s := &r.pl.Stages[i]
	if s.Pred != nil {
		if v := r.eval(s.Pred); !v.null && v.i != 0 {
			r.stage(i + 1)
		}
		return
	}
	any := false
	for _, found := range r.find(s) {
		r.match[i] = found
		if s.Where != nil {
			if v := r.eval(s.Where); v.null || v.i == 0 {
				continue
			}
		}
		any = true
		for _, c := range s.Marks {
			r.columns[c].Ints[found] = 1
		}
		if s.Join != pipeline.Inner && s.Join != pipeline.Left {
			break
		}
		r.stage(i + 1)
	}
	switch {
	case s.Join == pipeline.Left && !any, s.Join == pipeline.Anti && !any, s.Join == pipeline.Mark && !any:
		r.match[i] = -1
		r.stage(i + 1)
	case s.Join == pipeline.Semi && any, s.Join == pipeline.Mark && any:
		r.stage(i + 1)
	}
}

// find returns the rows under the key of a probe; for a set, 0 if it has the key.
func (r *passing) find(s *pipeline.Stage) (rows []int64) {
	x := &r.p.Indexes[s.Index]
	key := r.eval(s.Key)
	if key.null {
		return nil
	}
	at := int64(-1)
	switch {
	case x.Slots != pipeline.None:
		if head, ok := r.heads[s.Index][key.i]; ok {
			at = head
		}
	case x.Bits != pipeline.None:
		at = r.columns[x.Bits].Ints[key.i/32]>>(key.i%32)&1 - 1
	default:
		at = r.columns[x.Heads].Ints[key.i]
	}
	for at >= 0 {
		rows = append(rows, at)
		if x.Next == pipeline.None {
			break
		}
		at = r.columns[x.Next].Ints[at]
	}
	return rows
}

// insert adds a key to a hash index, if necessary, and returns its slot.
func (r *passing) insert(index int, key int64) int64 {
	x := &r.p.Indexes[index]
	if !x.Hash {
		return key
	}
	slot, ok := r.slots[index][key]
	if !ok {
		if slot = int64(len(r.slots[index])); slot == x.Size {
			r.full = true
			return 0
		}
		r.slots[index][key] = slot
		r.columns[x.Keys].Ints[slot] = key
	}
	return slot
}

func (r *passing) sink() {
	s := &r.pl.Sink
	switch s.Op {
	case pipeline.Build:
		r.build(s)
	case pipeline.Group:
		slot := r.insert(s.Index, r.eval(s.Key).i)
		for i := range s.Accs {
			r.accumulate(&s.Accs[i], slot)
		}
	case pipeline.Write:
		count := &r.columns[s.Count].Ints[0]
		*count++
		if s.Partial && *count > r.space(s) {
			return
		}
		r.store(s.Stores, *count-1)
	case pipeline.Put:
		at := r.row
		if s.Key != nil {
			at = r.eval(s.Key).i
		}
		r.store(s.Stores, at)
	}
}

func (r *passing) build(s *pipeline.Sink) {
	key := r.eval(s.Key)
	if key.null {
		return
	}
	x := &r.p.Indexes[s.Index]
	before, what := int64(-1), r.row
	if s.Value != nil {
		what = r.eval(s.Value).i
	}
	switch {
	case x.Slots != pipeline.None:
		before = r.place(s.Index, key.i, what)
	case x.Bits != pipeline.None:
		word := &r.columns[x.Bits].Ints[key.i/32]
		before = *word>>(key.i%32)&1 - 1
		*word |= 1 << (key.i % 32)
	default:
		before, r.columns[x.Heads].Ints[key.i] = r.columns[x.Heads].Ints[key.i], what
	}
	r.full = r.full || x.Unique && before >= 0
	if x.Next != pipeline.None {
		r.columns[x.Next].Ints[r.row] = before
	}
	r.store(s.Stores, r.row)
}

// place makes a row the last one of a key in a hash index of joins, and returns the one before, or -1.
func (r *passing) place(index int, key, row int64) int64 {
	heads := r.heads[index]
	before, ok := heads[key]
	if !ok {
		if before = -1; int64(len(heads)) == r.p.Indexes[index].Size {
			r.full = true
			return before
		}
	}
	heads[key] = row
	return before
}

// space returns the number of rows that a Write's columns have space for.
func (r *passing) space(s *pipeline.Sink) int64 {
	least := int64(math.MaxInt64)
	for _, st := range s.Stores {
		least = min(least, r.p.Columns[st.Column].Size)
	}
	return least
}

func (r *passing) store(stores []pipeline.Store, at int64) {
	for _, st := range stores {
		c, v := &r.columns[st.Column], r.eval(st.Expr)
		switch {
		case at >= r.p.Columns[st.Column].Size:
			r.full = true
		case c.Floats != nil && v.null:
			c.Floats[at] = 0
		case c.Floats != nil:
			c.Floats[at] = v.f
		case v.null:
			c.Ints[at] = 0
		default:
			c.Ints[at] = v.i
		}
	}
}

func (r *passing) accumulate(a *pipeline.Acc, slot int64) {
	c := &r.columns[a.Column]
	if a.Op == pipeline.CountRows {
		c.Ints[slot]++
		return
	}
	v := r.eval(a.Arg)
	if v.null {
		return
	}
	float := a.Arg.Kind == pipeline.Float
	i := v.i
	if float {
		i = pipeline.Ordered(int64(math.Float64bits(v.f)))
	}
	switch a.Op {
	case pipeline.Count:
		c.Ints[slot]++
	case pipeline.Sum:
		if float {
			c.Floats[slot] += v.f
		} else {
			c.Ints[slot] += i
		}
	case pipeline.SumLow:
		c.Ints[slot] += i & math.MaxUint32
	case pipeline.SumHigh:
		c.Ints[slot] += i >> 32
	case pipeline.Min:
		c.Ints[slot] = min(c.Ints[slot], i)
	case pipeline.Max:
		c.Ints[slot] = max(c.Ints[slot], i)
	case pipeline.BitAnd:
		c.Ints[slot] &= i
	case pipeline.BitOr:
		c.Ints[slot] |= i
	case pipeline.BitXor:
		c.Ints[slot] ^= i
	}
}
