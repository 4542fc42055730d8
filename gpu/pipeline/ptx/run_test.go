package ptx

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gsql/gpu"
	"gsql/gpu/pipeline"
	"gsql/gpu/pipeline/pipelinetest"
	simulated "gsql/gpu/sim/ptx"
)

// processor is what the tests run kernels on.
type processor interface {
	// alloc returns the address of a copy of raw.
	alloc(t *testing.T, raw []byte) uint64
	launch(t *testing.T, l *Launch, blocks int, args []uint64)
	// read returns n bytes.
	read(t *testing.T, p uint64, n int) []byte
}

// simulator executes PTX on the CPU. Every allocation is far from the others.
type simulator struct{ memory [][]byte }

const apart = 1 << 32

func (s *simulator) alloc(_ *testing.T, raw []byte) uint64 {
	s.memory = append(s.memory, slices.Clone(raw))
	return uint64(len(s.memory)) * apart
}

// Find implements simulated.Memory.
func (s *simulator) Find(p uint64) ([]byte, uint64) {
	n := p / apart
	if n == 0 || n > uint64(len(s.memory)) {
		return nil, 0
	}
	return s.memory[n-1], n * apart
}

func (s *simulator) launch(t *testing.T, l *Launch, blocks int, args []uint64) {
	t.Helper()
	m, err := simulated.Parse(l.Text)
	if err == nil {
		err = m.Run(l.Entry, simulated.Launch{Blocks: blocks, Threads: l.Threads, Shared: l.Shared}, args, s)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (s *simulator) read(_ *testing.T, p uint64, n int) []byte { return s.memory[p/apart-1][:n] }

// TestPrograms compares what every program's kernels compute with what the program means.
func TestPrograms(t *testing.T) { testPrograms(t, &simulator{}) }

func testPrograms(t *testing.T, on processor) {
	names := slices.Sorted(maps.Keys(programs))
	for i := range 3 * len(names) {
		name, rows := names[i/3], 1<<(i%3)
		t.Run(fmt.Sprint(name, rows), func(t *testing.T) {
			b := newBuilder()
			programs[name](b)
			n, full := compareRuns(t, on, b.Program, rows)
			if full != (name == "full") || n == 0 && !full {
				t.Fatalf("%d rows; an index is full: %t", n, full)
			}
		})
	}
}

// compareRuns compares what a program's kernels compute with what the program means. It returns the
// number of rows, or that an index was full, or has a key twice that should be unique.
func compareRuns(t *testing.T, on processor, p *pipeline.Program, rows int) (n int, full bool) {
	t.Helper()
	base := randomBase(p)
	d := &deviceRun{t: t, on: on, p: p, base: base, rows: rows}
	gotColumns, gotRows, full := d.run()
	wantColumns, wantRows, wantFull := pipelinetest.Run(p, func(c int) pipelinetest.Column { return base[c] })
	if full != wantFull {
		t.Fatalf("an index is full: %t, want %t", full, wantFull)
	}
	if full {
		return 0, true
	}
	want, got := lines(wantColumns, wantRows), lines(gotColumns, gotRows)
	for i := range max(len(want), len(got)) {
		if i >= len(want) || i >= len(got) || want[i] != got[i] {
			t.Fatalf("row %d of %d, want %d: %.100q, want %.100q", i, len(got), len(want), got[min(i, len(got)):min(i+1, len(got))], want[min(i, len(want)):min(i+1, len(want))])
		}
	}
	return len(want), false
}

// lines formats rows in ascending order. Sums of doubles depend on the order of addition: ten digits
// count.
func lines(columns []pipelinetest.Column, rows int) []string {
	out := make([]string, rows)
	for r := range out {
		var cells []string
		for _, c := range columns {
			if c.Floats != nil {
				cells = append(cells, fmt.Sprintf("%.10g", c.Floats[r]))
			} else {
				cells = append(cells, fmt.Sprint(c.Ints[r]))
			}
		}
		out[r] = strings.Join(cells, " ")
	}
	slices.Sort(out)
	return out
}

// randomBase returns values of the base columns. The keys of dimensions are unique.
func randomBase(p *pipeline.Program) []pipelinetest.Column {
	r := rand.New(rand.NewPCG(1, 2))
	out := make([]pipelinetest.Column, baseColumns)
	keys := r.Perm(999)
	for i := range out {
		c, rows := &p.Columns[i], factRows
		if c.Relation == 1 {
			rows = dimRows
		}
		for row := range rows {
			switch {
			case i == dimKey:
				out[i].Ints = append(out[i].Ints, int64(keys[row]+1))
			case c.Kind == pipeline.Float:
				out[i].Floats = append(out[i].Floats, r.Float64())
			default:
				out[i].Ints = append(out[i].Ints, c.Min+r.Int64N(c.Max-c.Min+1))
			}
			if c.Nullable {
				out[i].Valid = append(out[i].Valid, r.IntN(4) > 0)
			}
		}
	}
	return out
}

// deviceRun runs a program's kernels.
type deviceRun struct {
	t      *testing.T
	on     processor
	p      *pipeline.Program
	base   []pipelinetest.Column
	rows   int // of a thread
	values []uint64
	valid  []uint64
	failed bool
	zeros  int64
}

// upload copies bytes to memory that is readable up to the next multiple of gpu.Alignment.
func (d *deviceRun) upload(raw []byte) uint64 {
	return d.on.alloc(d.t, append(raw, make([]byte, gpu.Alignment-len(raw)%gpu.Alignment)...))
}

func (d *deviceRun) run() (result []pipelinetest.Column, rows int, full bool) {
	code, err := Compile(d.p, Options{Shared: 48 << 10, Rows: d.rows})
	if err != nil {
		d.t.Fatal(err)
	}
	columns := slices.Concat(d.p.Columns, code.Extra)
	for i := range columns {
		d.bring(i, &columns[i])
	}
	for _, l := range code.Launches {
		blocks := (l.Rows + int64(l.Tile) - 1) / int64(l.Tile)
		d.on.launch(d.t, &l, int(min(blocks, 3)), d.arguments(l))
	}
	status := d.read(code.Status, &columns[code.Status], 4).Ints
	full, d.failed, d.zeros = status[0] != 0 || status[1] != 0, status[2] != 0, status[3]
	rows = int(d.read(d.p.Result.Count, &columns[d.p.Result.Count], 1).Ints[0])
	for _, c := range d.p.Result.Columns {
		rows = min(rows, int(columns[c].Size))
	}
	for _, c := range d.p.Result.Columns {
		result = append(result, d.read(c, &columns[c], rows))
	}
	return result, rows, full
}

func (d *deviceRun) arguments(l Launch) (args []uint64) {
	for _, p := range l.Params {
		switch p.Of {
		case Rows:
			args = append(args, uint64(l.Rows))
		case Values:
			args = append(args, d.values[p.Column])
		case Valid:
			args = append(args, d.valid[p.Column])
		}
	}
	return args
}

// bring allocates a column and gives it its first values.
func (d *deviceRun) bring(i int, c *pipeline.Column) {
	d.values, d.valid = append(d.values, 0), append(d.valid, 0)
	if c.Data != nil {
		d.values[i] = d.upload(slices.Clone(c.Data))
		return
	}
	host := pipelinetest.Column{}
	if c.Relation != pipeline.None {
		host = d.base[i]
	} else {
		for range c.Size {
			host.Ints = append(host.Ints, c.Init)
		}
	}
	var raw, bits []byte
	for r := range max(len(host.Ints), len(host.Floats)) {
		if host.Floats != nil {
			raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(host.Floats[r]))
		} else {
			word := binary.LittleEndian.AppendUint64(nil, uint64(host.Ints[r]-c.Bias))
			raw = append(raw, word[:c.Width]...)
		}
		if c.Nullable {
			if r%8 == 0 {
				bits = append(bits, 0)
			}
			if host.Valid[r] {
				bits[r/8] |= 1 << (r % 8)
			}
		}
	}
	d.values[i] = d.upload(raw)
	if c.Nullable {
		d.valid[i] = d.upload(bits)
	}
}

// read copies the first rows of a column to the host.
func (d *deviceRun) read(i int, c *pipeline.Column, rows int) pipelinetest.Column {
	return pipelinetest.Stored(c, d.on.read(d.t, d.values[i], rows*c.Width), rows)
}
