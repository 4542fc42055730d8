//go:build sim || cuda

package run

import (
	"errors"
	"slices"
	"testing"

	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/enginetest"
	"gsql/gpu/pipeline"
	"gsql/gpu/pipeline/pipelinetest"
	"gsql/internal/mem"
	"gsql/sql/sqlerr"
)

// summed is a program that sorts rows by a word with equal numbers and one of row numbers, and returns for each
// place of the order the row there and the sums of the first words, narrow and wide, before it.
// It has space for so many rows.
func summed(rows, space int64) *pipeline.Program {
	p := numbered(rows, pipeline.Order{})
	b := pipeline.NewBuilder()
	*b.Program = *p
	b.Program.Result = pipeline.Result{}
	written := p.Pipelines[0].Sink
	for _, st := range written.Stores {
		b.Program.Columns[st.Column].Size = space
	}
	words := []int{written.Stores[1].Column, written.Stores[2].Column}
	order, first, narrow, wide := sized(b, 4, space, 0), sized(b, 4, space, 0), sized(b, 8, space+1, 0), sized(b, 8, space+1, 0)
	first8 := sized(b, 8, space, 0)
	for _, c := range []int{order, first, narrow, wide, first8} {
		b.Program.Columns[c].Max = 1 << 31 // the sums are below that
	}
	at := b.Lookup(words[0], b.Load(order, pipeline.None, false))
	puts := pipeline.Sink{Op: pipeline.Put, Stores: []pipeline.Store{{Column: first, Expr: at}, {Column: first8, Expr: at}}}
	b.Program.Pipelines = append(b.Program.Pipelines,
		pipeline.Pipeline{Sort: &pipeline.Sort{Words: words, Count: written.Count, To: order}},
		pipeline.Pipeline{Rows: space, Counted: written.Count, Sink: puts},
		pipeline.Pipeline{Sums: &pipeline.Sums{Of: first, Count: written.Count, To: narrow}},
		pipeline.Pipeline{Sums: &pipeline.Sums{Of: first8, Count: written.Count, To: wide}})
	place := b.Row(pipeline.None, space, false)
	end, err := b.Arith(pipeline.OpAdd, place, b.Int(1))
	if err != nil {
		panic(err)
	}
	write(b, space, max(space, 1), nil, place, b.Lookup(written.Stores[0].Column, b.Load(order, pipeline.None, false)), b.Lookup(narrow, end), b.Lookup(wide, end))
	b.Program.Pipelines[len(b.Program.Pipelines)-1].Counted = written.Count
	return b.Program
}

// TestPrebuilt compares orders and sums with those of the test, also if there are more rows than expected. The
// device has just the memory that Job.Bytes says; with a tenth less the run fails.
func TestPrebuilt(t *testing.T) {
	for _, c := range []struct{ rows, space int64 }{{0, 10}, {1, 1}, {5000, 5000}, {70001, 80000}, {500, 499}} {
		task := enginetest.Begin(t, enginetest.New(t, 64<<20))
		acct := mem.NewRoot("test", 0)
		free := task.Free()
		p := summed(c.rows, c.space)
		in := Inputs{Column: func(int, int) column.Narrow { return column.Narrow{} }}
		job, mark := mustJob(t, p), task.Mark()
		leave(t, task, job.Bytes())
		got, _, err := job.Run(task, acct, in)
		if err := task.Release(mark); err != nil {
			t.Fatal(err)
		}
		if c.rows > c.space {
			if !errors.Is(err, ErrFull) {
				t.Errorf("%d rows in %d: %v", c.rows, c.space, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		want, rows, _ := pipelinetest.Run(p, nil)
		if got.Count != rows || int64(rows) != c.rows {
			t.Fatalf("%d rows, want %d", got.Count, rows)
		}
		line := func(columns [4][]int64) (lines [][4]int64) {
			for i := range columns[0] {
				lines = append(lines, [4]int64{columns[0][i], columns[1][i], columns[2][i], columns[3][i]})
			}
			slices.SortFunc(lines, func(x, y [4]int64) int { return slices.Compare(x[:], y[:]) })
			return lines
		}
		var has, wants [4][]int64
		for i := range has {
			has[i], wants[i] = make([]int64, rows), want[i].Ints
			got.Columns[i].Ints(has[i], 0)
		}
		if !slices.Equal(line(has), line(wants)) {
			t.Errorf("%d rows differ", rows)
		}
		if got.Free(); acct.Used() != 0 || task.Free() != free {
			t.Error("memory is not free")
		}
		if leave(t, task, job.Bytes()*9/10); c.rows < 100 {
			continue
		}
		if _, _, err := job.Run(task, acct, in); !errors.Is(err, sqlerr.OutOfMemory) {
			t.Errorf("%d rows in less than they need: %v", c.rows, err)
		}
	}
}

// leave allocates all memory but so many bytes.
func leave(t *testing.T, task *engine.Task, bytes int64) {
	t.Helper()
	if _, err := task.Alloc((task.Free() - bytes) / gpu.Alignment * gpu.Alignment); err != nil {
		t.Fatal(err)
	}
}
