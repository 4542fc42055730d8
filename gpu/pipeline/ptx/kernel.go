package ptx

import (
	"crypto/sha256"
	"fmt"
	"math/bits"
	"strings"

	"gsql/gpu/pipeline"
)

// threads is the number of threads of a block.
const threads = 256

// writer collects the text of a kernel.
type writer struct {
	rows int // rows a thread takes at a time

	before, body, after strings.Builder // the text before the loop over rows, in it, and after it
	out                 *strings.Builder
	counts              map[string]int // registers by prefix
	labels              int
	params              []Param
	addresses           map[Param]string
}

// tile emits the code that reads, looks up and inserts the rows of a thread.
type tile struct {
	*writer
	p      *pipeline.Program
	status int // column

	first string   // register of the number of the thread's first row, of 32 bits
	row   []string // registers of the numbers of its rows
	alive []string // predicates: the rows that are still alive
	next  string   // branch target if none is

	stages []match       // of the stages so far
	loads  map[int]value // columns of the source
}

// expressions emits the code of expressions, each once.
type expressions struct {
	*tile
	values map[*pipeline.Expr]value
	truths map[*pipeline.Expr][]string
	falses map[*pipeline.Expr][]string
	// Predicates of the operations that fail: where they do, and where they divide by 0. Only rows that need
	// an operation count, which checked holds those of.
	faults  map[*pipeline.Expr][]string
	zeros   map[*pipeline.Expr][]string
	checked map[*pipeline.Expr]bool
	sampled bool // divisions by 0 are counted by another kernel
}

// kernel writes the kernel of one pipeline.
type kernel struct {
	*expressions
	pl     *pipeline.Pipeline
	opt    Options
	from   string // register of the number of the first row; "" if it is 0
	shared int    // bytes of a block's shared memory
	block  int    // threads of a block
}

// match holds what a probe has found for each row.
type match struct {
	row   []string // numbers of the rows found
	found []string // predicates
}

// value is an integer or a double of each row. A register may also be a constant.
type value struct {
	float bool
	wide  bool // integers of 64 bits, else of 32
	reg   []string
	high  []string // the upper words of an Int128, whose lower words are reg
	ok    []string // predicates: not NULL; nil if never NULL
}

func newKernel(p *pipeline.Program, pl *pipeline.Pipeline, status int, o Options) *kernel {
	w := &writer{rows: o.rows(pl), counts: map[string]int{}, addresses: map[Param]string{}}
	w.out = &w.body
	t := &tile{writer: w, p: p, status: status, next: "NEXT", loads: map[int]value{}}
	return &kernel{
		expressions: &expressions{tile: t, values: map[*pipeline.Expr]value{}, truths: map[*pipeline.Expr][]string{}, falses: map[*pipeline.Expr][]string{},
			faults: map[*pipeline.Expr][]string{}, zeros: map[*pipeline.Expr][]string{}, checked: map[*pipeline.Expr]bool{}, sampled: pl.Sample > 1},
		pl: pl, opt: o, block: threads,
	}
}

// compile emits the kernel.
func (k *kernel) compile() (Launch, error) {
	k.begin()
	sink, err := k.newSink()
	if err != nil {
		return Launch{}, err
	}
	if err := k.stage(0, sink); err != nil {
		return Launch{}, err
	}
	k.out = &k.after
	sink.finish()
	declarations, body := k.text()
	return k.launch(declarations, body), nil
}

// launch returns the launch of a kernel, whose name identifies its text.
func (k *kernel) launch(declarations, body string) Launch {
	sum := sha256.Sum256([]byte(declarations + body))
	entry := fmt.Sprintf("pipeline_%x", sum[:12])
	return Launch{
		Entry: entry, Text: fmt.Sprintf("%s\n// %s\n.visible .entry %s(%s", head, k.pl.Name, entry, declarations+body),
		Params: k.params, Rows: k.pl.Rows, Tile: k.block * k.rows * int(max(k.pl.Sample, 1)), Threads: k.block, Shared: k.shared,
	}
}

// begin emits the head of the loop over rows.
func (k *kernel) begin() {
	k.first = k.reg("r")
	k.op("cvt.u32.u64 %s, %%base", k.first)
	limit := "%limit"
	for i := range k.rows {
		row, alive := k.first, k.reg("p")
		if i > 0 {
			row = k.reg("r")
			k.op("add.u32 %s, %s, %d", row, k.first, i)
		}
		k.op("setp.lt.u32 %s, %s, %s", alive, row, limit)
		k.row, k.alive = append(k.row, row), append(k.alive, alive)
	}
}

// stage emits stage i and all later ones. A stage that multiplies rows repeats the later ones in a
// loop.
func (k *kernel) stage(i int, s sink) error {
	if i == len(k.pl.Stages) {
		return s.add()
	}
	st := &k.pl.Stages[i]
	if st.Pred != nil {
		k.stages = append(k.stages, match{})
		t, err := k.neededTruth(st.Pred, k.alive)
		if err != nil {
			return err
		}
		k.narrow(t)
		return k.stage(i+1, s)
	}
	return k.probe(i, st, s)
}

// narrow keeps the rows for which t is true. Threads without such a row skip to their next rows.
func (k *tile) narrow(t []string) {
	k.alive = k.both(k.alive, t)
	k.leave()
}

// leave skips to the next rows if none is alive.
func (k *tile) leave() {
	k.op("@!%s bra %s", k.some(k.alive), k.next)
}

// some returns a predicate that is set if any of the given ones is.
func (k *writer) some(ps []string) string {
	any := ps[0]
	for _, p := range ps[1:] {
		x := k.reg("p")
		k.op("or.pred %s, %s, %s", x, any, p)
		any = x
	}
	return any
}

// op emits an instruction.
func (k *writer) op(format string, args ...any) {
	k.out.WriteByte('\t')
	fmt.Fprintf(k.out, format, args...)
	k.out.WriteString(";\n")
}

// mark emits a label.
func (k *writer) mark(label string) { k.out.WriteString(label + ":\n") }

func (k *writer) label(name string) string {
	k.labels++
	return fmt.Sprintf("%s%d", name, k.labels)
}

// reg returns a new register: p is for predicates, r for 32 bits, d for 64, f for doubles.
func (k *writer) reg(class string) string {
	k.counts[class]++
	return fmt.Sprintf("%%%s%d", class, k.counts[class])
}

// regs returns a new register for each row.
func (k *writer) regs(class string) []string {
	out := make([]string, k.rows)
	for i := range out {
		out[i] = k.reg(class)
	}
	return out
}

// address returns the register with the address of a column's values.
func (k *writer) address(column int) string { return k.param(Param{Values, column}) }

// param returns the register of a parameter, which is loaded before the loop.
func (k *writer) param(p Param) string {
	if r, ok := k.addresses[p]; ok {
		return r
	}
	r := k.reg("d")
	fmt.Fprintf(&k.before, "\tld.param.u64 %s, [arg%d];\n", r, len(k.params))
	k.params = append(k.params, p)
	k.addresses[p] = r
	return r
}

// text assembles the kernel: its parameters, its registers and its code.
func (k *kernel) text() (declarations, body string) {
	rows := k.source()
	declarations = k.declarations()
	var b strings.Builder
	b.WriteString(k.before.String())
	b.WriteString(rows)
	tile := threads * k.rows
	fmt.Fprintf(&b, `	cvt.u32.u64 %%limit, %%rows;
	mov.u32 %%tid_, %%tid.x;
	mov.u32 %%cta_, %%ctaid.x;
	mov.u32 %%ctas_, %%nctaid.x;
	mul.wide.u32 %%place, %%cta_, %d;
	mul.wide.u32 %%offset_, %%tid_, %d;
	add.u64 %%place, %%place, %%offset_;
	mul.wide.u32 %%stride, %%ctas_, %d;
LOOP:
%s	setp.ge.u64 %%done, %%base, %%rows;
	@%%done bra END;
`, tile, k.rows, tile, k.position())
	b.WriteString(k.body.String())
	b.WriteString("NEXT:\n\tadd.u64 %place, %place, %stride;\n\tbra LOOP;\nEND:\n")
	b.WriteString(k.after.String())
	b.WriteString("\tret;\n}\n")
	return declarations, b.String()
}

// position returns the text that sets the number of the thread's first row from its place among the rows
// that are taken.
func (k *kernel) position() string {
	text := "\tmov.b64 %base, %place;\n"
	if k.pl.Sample > 1 {
		text = fmt.Sprintf(`	shr.u64 %%base, %%place, %d;
	mul.lo.u64 %%base, %%base, %d;
	and.b64 %%offset_, %%place, %d;
	add.u64 %%base, %%base, %%offset_;
`, bits.TrailingZeros(pipeline.SampleRows), pipeline.SampleRows*k.pl.Sample, pipeline.SampleRows-1)
	}
	if k.from != "" {
		text += fmt.Sprintf("\tadd.u64 %%base, %%base, %s;\n", k.from)
	}
	return text
}

// declarations returns the kernel's parameters and registers.
func (k *kernel) declarations() string {
	var b strings.Builder
	for i := range k.params {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, ".param .u64 arg%d", i)
	}
	fmt.Fprintf(&b, ")\n.maxntid %d, 1, 1\n{\n", k.block)
	for _, c := range []struct{ class, typ string }{{"p", "pred"}, {"r", "b32"}, {"d", "b64"}, {"f", "f64"}} {
		fmt.Fprintf(&b, "\t.reg .%s %%%s<%d>;\n", c.typ, c.class, k.counts[c.class]+1)
	}
	b.WriteString("\t.reg .b32 %tid_, %cta_, %ctas_, %limit;\n\t.reg .b64 %place, %base, %offset_, %stride, %rows;\n\t.reg .pred %done;\n")
	return b.String()
}

// source returns the text that sets the number of rows.
func (k *kernel) source() string {
	if k.pl.Counted == pipeline.None {
		k.from = k.param(Param{Of: First})
	}
	if c := k.pl.Counted; c != pipeline.None {
		return fmt.Sprintf("\tld.global.u32 %%limit, [%s];\n\tcvt.u64.u32 %%rows, %%limit;\n\tmin.u64 %%rows, %%rows, %d;\n", k.address(c), k.pl.Rows)
	}
	return fmt.Sprintf("\tmov.u64 %%rows, %s;\n", k.param(Param{Of: Rows}))
}
