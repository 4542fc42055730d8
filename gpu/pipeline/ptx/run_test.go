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

// compareRuns compares what a program's kernels compute with what the program means, each source read at once
// and in pieces. It returns the number of rows, or that an index was full, or has a key twice that should be
// unique.
func compareRuns(t *testing.T, on processor, p *pipeline.Program, rows int) (n int, full bool) {
	t.Helper()
	base := randomBase(p)
	wantColumns, wantRows, wantFull := pipelinetest.Run(p, func(c int) pipelinetest.Column { return base[c] })
	want := lines(wantColumns, wantRows)
	for _, pieces := range []bool{false, true} {
		d := &deviceRun{t: t, on: on, p: p, base: base, rows: rows, pieces: pieces}
		gotColumns, gotRows, full := d.run()
		if full != wantFull {
			t.Fatalf("in pieces: %t; an index is full: %t, want %t", pieces, full, wantFull)
		}
		if full {
			continue
		}
		got := lines(gotColumns, gotRows)
		for i := range max(len(want), len(got)) {
			if i >= len(want) || i >= len(got) || want[i] != got[i] {
				t.Fatalf("in pieces: %t; row %d of %d, want %d: %.100q, want %.100q", pieces, i, len(got), len(want), got[min(i, len(got)):min(i+1, len(got))], want[min(i, len(want)):min(i+1, len(want))])
			}
		}
	}
	return len(want), wantFull
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
	rows   int  // of a thread
	pieces bool // sources are read in several launches
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
	for i, l := range code.Launches {
		for _, piece := range d.cut(i, &l) {
			blocks := (piece[1] - piece[0] + int64(l.Tile) - 1) / int64(l.Tile)
			d.on.launch(d.t, &l, int(min(blocks, 3)), d.arguments(l, piece))
		}
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

// cut returns the pieces in which a pipeline reads its source: all of it, or several in any order.
func (d *deviceRun) cut(i int, l *Launch) (pieces [][2]int64) {
	pl := &d.p.Pipelines[i]
	if !d.pieces || pl.Counted != pipeline.None || pl.Bound != nil || pl.Sample > 1 {
		return [][2]int64{{0, l.Rows}}
	}
	for from := int64(0); from < l.Rows; from += PieceRows {
		pieces = append(pieces, [2]int64{from, min(from+PieceRows, l.Rows)})
	}
	slices.Reverse(pieces)
	return pieces
}

// arguments returns those of a launch over a piece. The columns of tables that only rows of the source
// read are copied for it; the addresses of others do not depend on it.
func (d *deviceRun) arguments(l Launch, piece [2]int64) (args []uint64) {
	at := func(addresses []uint64, p Param, perRow func(rows int64) int64) uint64 {
		if !d.pieces || p.Column >= len(d.p.Columns) || !d.p.Sources()[p.Column] {
			return addresses[p.Column]
		}
		from, to := perRow(piece[0]), perRow(piece[1])
		raw := d.on.read(d.t, addresses[p.Column], int(to))[from:]
		return d.upload(slices.Clone(raw)) - uint64(from)
	}
	for _, p := range l.Params {
		switch p.Of {
		case Rows:
			args = append(args, uint64(piece[1]))
		case First:
			args = append(args, uint64(piece[0]))
		case Values:
			args = append(args, at(d.values, p, func(rows int64) int64 { return rows * int64(d.width(p.Column)) }))
		case Valid:
			args = append(args, at(d.valid, p, func(rows int64) int64 { return (rows + 7) / 8 }))
		}
	}
	return args
}

func (d *deviceRun) width(column int) int {
	if column < len(d.p.Columns) {
		return d.p.Columns[column].Width
	}
	return 1
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
