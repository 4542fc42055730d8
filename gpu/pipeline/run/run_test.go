//go:build sim || cuda

package run

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"testing"

	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/enginetest"
	"gsql/gpu/pipeline"
	"gsql/gpu/pipeline/pipelinetest"
	"gsql/internal/mem"
	"gsql/sql/sqlerr"
)

const tableRows = 3000

// table returns the values of the only base column, which has 500 different ones, and a program that
// reads it.
func table() (*pipeline.Builder, pipelinetest.Column) {
	b := pipeline.NewBuilder()
	b.AddColumn(pipeline.Column{Kind: pipeline.Int, Width: 2, Bias: -7, Min: -7, Max: 492, Relation: 0, Ordinal: 3})
	var c pipelinetest.Column
	for i := range int64(tableRows) {
		c.Ints = append(c.Ints, i*i%500-7)
	}
	return b, c
}

func sized(b *pipeline.Builder, width int, size, init int64) int {
	return b.AddColumn(pipeline.Column{Kind: pipeline.Int, Width: width, Min: init, Max: init, Relation: pipeline.None, Size: size, Init: init})
}

// write ends the program with a pipeline that writes expressions over the rows of a source.
func write(b *pipeline.Builder, rows, space int64, stages []pipeline.Stage, exprs ...*pipeline.Expr) {
	count := sized(b, 4, 1, 0)
	s := pipeline.Sink{Op: pipeline.Write, Count: count}
	b.Program.Result = pipeline.Result{Count: count}
	for _, e := range exprs {
		c := sized(b, 8, space, 0)
		s.Stores = append(s.Stores, pipeline.Store{Column: c, Expr: e})
		b.Program.Result.Columns = append(b.Program.Result.Columns, c)
	}
	b.Program.Pipelines = append(b.Program.Pipelines, pipeline.Pipeline{Name: "write", Rows: rows, Counted: pipeline.None, Stages: stages, Sink: s})
}

// filtered is a program that returns the values less than 100, in columns of the given length.
func filtered(space int64) (*pipeline.Program, pipelinetest.Column) {
	b, values := table()
	v := b.Load(0, pipeline.None, false)
	double, err := b.Arith(pipeline.OpMul, v, b.Int(2))
	if err != nil {
		panic(err)
	}
	keep := pipeline.Stage{Pred: b.Compare(pipeline.OpLT, v, b.Int(100)), Selectivity: 0.2}
	write(b, tableRows, space, []pipeline.Stage{keep}, v, double)
	return b.Program, values
}

// grouped is a program that counts the rows of each value, in an index of the given size.
func grouped(slots int64) (*pipeline.Program, pipelinetest.Column) {
	b, values := table()
	keys := sized(b, 8, slots, -1)
	b.Program.Columns[keys].Max = 500
	counts := sized(b, 8, slots, 0)
	b.Program.Columns[counts].Max = tableRows
	x := pipeline.NewIndex(true, slots)
	x.Keys = keys
	b.Program.Indexes = []pipeline.Index{x}
	key, err := b.Arith(pipeline.OpAdd, b.Load(0, pipeline.None, false), b.Int(7))
	if err != nil {
		panic(err)
	}
	b.Program.Pipelines = []pipeline.Pipeline{{Name: "groups", Rows: tableRows, Counted: pipeline.None, Sink: pipeline.Sink{
		Op: pipeline.Group, Key: key, Accs: []pipeline.Acc{{Op: pipeline.CountRows, Column: counts}},
	}}}
	key = b.Load(keys, pipeline.None, false)
	used := pipeline.Stage{Pred: b.Compare(pipeline.OpGE, key, b.Int(0)), Selectivity: 1}
	write(b, slots, slots, []pipeline.Stage{used}, key, b.Load(counts, pipeline.None, false))
	return b.Program, values
}

// filled is a program that returns the first values of columns of all widths.
func filled() *pipeline.Program {
	b := pipeline.NewBuilder()
	var loads []*pipeline.Expr
	for _, x := range []struct {
		width int
		init  int64
	}{{1, 0}, {1, 200}, {2, 0xffff}, {2, 0x1234}, {4, 0x12345678}, {4, 0}, {8, -1}, {8, -1 << 63}} {
		loads = append(loads, b.Load(sized(b, x.width, 1001, x.init), pipeline.None, false))
	}
	write(b, 1001, 1001, nil, loads...)
	return b.Program
}

// base brings the values of the base column to the device.
func base(t *testing.T, task *engine.Task, values pipelinetest.Column) func(relation, ordinal int) column.Narrow {
	raw := make([]byte, 0, 2*tableRows+256)
	for _, v := range values.Ints {
		raw = binary.LittleEndian.AppendUint16(raw, uint16(v+7))
	}
	at := enginetest.Upload(t, task, raw[:cap(raw)])
	return func(relation, ordinal int) column.Narrow {
		if relation != 0 || ordinal != 3 {
			t.Fatalf("column %d of relation %d", ordinal, relation)
		}
		return column.Narrow{Width: 2, Bias: -7, Min: -7, Max: 492, Rows: tableRows, Values: at}
	}
}

func mustJob(t *testing.T, p *pipeline.Program) *Job {
	t.Helper()
	j, err := New(p, 48<<10)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// lines formats rows in ascending order.
func lines(rows int, value func(column, row int) int64, columns int) []string {
	out := make([]string, rows)
	for r := range out {
		for c := range columns {
			out[r] += fmt.Sprint(value(c, r), " ")
		}
	}
	slices.Sort(out)
	return out
}

// check compares what a job returns with what its program means, twice.
func check(t *testing.T, p *pipeline.Program, values pipelinetest.Column) {
	want, rows, full := pipelinetest.Run(p, func(int) pipelinetest.Column { return values })
	if full {
		t.Fatal("the program is too small")
	}
	wanted := lines(rows, func(c, r int) int64 { return want[c].Ints[r] }, len(want))
	task := enginetest.Begin(t, enginetest.New(t, 8<<20))
	from := base(t, task, values)
	acct := mem.NewRoot("test", 0)
	j := mustJob(t, p)
	free := task.Free()
	for range 2 {
		got, longer, err := j.Run(task, acct, Inputs{Column: from})
		if err != nil {
			t.Fatal(err)
		}
		j = longer
		have := lines(got.Count, func(c, r int) int64 { return int64(binary.LittleEndian.Uint64(got.Columns[c].Bytes[8*r:])) }, len(got.Columns))
		if !slices.Equal(have, wanted) || len(wanted) == 0 {
			t.Fatalf("%d rows %.200v, want %d %.200v", len(have), have, len(wanted), wanted)
		}
		if got.Free(); acct.Used() != 0 || task.Free() != free {
			t.Fatalf("%d bytes of the host and %d of the device are not free", acct.Used(), free-task.Free())
		}
	}
}

func TestRun(t *testing.T) {
	t.Run("filter", func(t *testing.T) {
		p, values := filtered(tableRows)
		check(t, p, values)
	})
	t.Run("groups", func(t *testing.T) {
		p, values := grouped(2048)
		check(t, p, values)
	})
	t.Run("first values", func(t *testing.T) { check(t, filled(), pipelinetest.Column{}) })
}

// TestLongerResult runs a program whose result has more rows than its columns.
func TestLongerResult(t *testing.T) {
	p, values := filtered(5)
	task := enginetest.Begin(t, enginetest.New(t, 8<<20))
	j := mustJob(t, p)
	rows, longer, err := j.Run(task, mem.NewRoot("test", 0), Inputs{Column: base(t, task, values)})
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Free()
	want := 0
	for _, v := range values.Ints {
		if v < 100 {
			want++
		}
	}
	if rows.Count != want || longer == j || p.Columns[p.Result.Columns[0]].Size != 5 {
		t.Errorf("%d rows, want %d", rows.Count, want)
	}
}

func TestRunFails(t *testing.T) {
	small, values := grouped(64)
	large := grown(1 << 20)
	for _, c := range []struct {
		name string
		p    *pipeline.Program
		acct *mem.Account
		want error
	}{
		{"full index", small, mem.NewRoot("test", 0), ErrFull},
		{"device memory", large, mem.NewRoot("test", 0), sqlerr.OutOfMemory},
		{"host memory", grown(2048), mem.NewRoot("test", 100), sqlerr.OutOfMemory},
	} {
		t.Run(c.name, func(t *testing.T) {
			task := enginetest.Begin(t, enginetest.New(t, 8<<20))
			from := base(t, task, values)
			free := task.Free()
			if rows, _, err := mustJob(t, c.p).Run(task, c.acct, Inputs{Column: from}); rows != nil || !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
			if c.acct.Used() != 0 || task.Free() != free {
				t.Errorf("%d bytes of the host and %d of the device are not free", c.acct.Used(), free-task.Free())
			}
		})
	}
}

func grown(slots int64) *pipeline.Program {
	p, _ := grouped(slots)
	return p
}

func TestRunCancelled(t *testing.T) {
	p, values := grouped(2048)
	task := enginetest.Begin(t, enginetest.New(t, 8<<20))
	from := base(t, task, values)
	ctx, cancel := context.WithCancel(context.Background())
	task.Ctx = ctx
	cancel()
	if _, _, err := mustJob(t, p).Run(task, mem.NewRoot("test", 0), Inputs{Column: from}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want cancellation", err)
	}
}
