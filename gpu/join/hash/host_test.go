//go:build sim || cuda

package hash

import (
	"slices"
	"testing"

	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/enginetest"
	"gsql/gpu/join"
	"gsql/gpu/join/jointest"
)

// pinned copies a column to pinned host memory, which is freed when the test ends.
func pinned(t *testing.T, task *engine.Task, v jointest.Values) HostColumn {
	t.Helper()
	h := HostColumn{Column: v.Column(t, task)}
	h.Values = pin(t, task, h.Rows*h.Kind.Width(), h.Column.Values)
	if h.Column.Valid != 0 {
		h.Valid = pin(t, task, h.Rows, h.Column.Valid)
	}
	h.Column.Values, h.Column.Valid = 0, 0
	return h
}

func pin(t *testing.T, task *engine.Task, n int64, from gpu.Ptr) []byte {
	b, err := task.Device.AllocHost(n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := task.Device.FreeHost(b); err != nil {
			t.Error(err)
		}
	})
	copy(b, enginetest.Download[byte](t, task, from, n))
	return b
}

// hostJoin is a join of left, in device memory, with a right side in pinned host memory.
type hostJoin struct {
	left, right int64
	conditions  []jointest.Condition
	aggs        []jointest.Agg
}

// chunks uploads the build side and pins the other.
func (j *hostJoin) chunks(t *testing.T, task *engine.Task, rows int64) *HostChunks {
	in := join.Input{Left: j.left, Right: j.right}
	var operands, values []HostColumn
	for _, c := range j.conditions {
		operands = append(operands, pinned(t, task, c.Right))
		in.Conditions = append(in.Conditions, join.Condition{Op: c.Op, Left: c.Left.Column(t, task), Right: operands[len(operands)-1].Column})
	}
	var aggs []join.Agg
	for _, a := range j.aggs {
		d, h := join.Agg{Func: a.Func, Left: a.Left}, HostColumn{}
		switch {
		case a.Func == join.CountRows:
		case a.Left:
			d.Column = a.Column.Column(t, task)
		default:
			h = pinned(t, task, a.Column)
			d.Column = h.Column
		}
		aggs, values = append(aggs, d), append(values, h)
	}
	h, err := NewHostChunks(task, in, aggs, Options{BuildLeft: true}, operands, values, rows)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// hostJoins are joins of each kind of table, with and without further conditions.
func hostJoins() map[string]*hostJoin {
	const left, right = 150, 700
	joins := map[string]*hostJoin{}
	for _, shape := range []string{"unique", "dense", "half"} {
		l, r := keys(column.I32, shape, left, 1, true), keys(column.I32, shape, right, 1, true)
		value := keys(column.I64, "sparse", right, 5, true)
		joins[shape] = &hostJoin{left, right, equality(l, r), append(aggregates(false, value), aggregates(true, keys(column.I64, "few", left, 6, false))...)}
	}
	rest := *joins["half"]
	rest.conditions = append(slices.Clone(rest.conditions), jointest.Condition{Op: join.GE, Left: keys(column.I32, "few", left, 7, true), Right: keys(column.I32, "few", right, 8, true)})
	joins["further condition"] = &rest
	packed := *joins["half"]
	packed.conditions = append(slices.Clone(packed.conditions), jointest.Condition{Op: join.EQ, Left: keys(column.I64, "few", left, 7, true), Right: keys(column.I64, "few", right, 8, true)})
	joins["packed"] = &packed
	return joins
}

func TestHostChunks(t *testing.T) {
	e := enginetest.New(t, 32<<20)
	for name, j := range hostJoins() {
		t.Run(name, func(t *testing.T) {
			want := jointest.Pairs(j.left, j.right, j.conditions)
			for _, rows := range []int64{99, 350, 700, 5000} {
				one(t, e, func(task *engine.Task) {
					h := j.chunks(t, task, rows)
					out := jointest.NewOutput(t, task, 400)
					if err := PairsOver(task, h, out, Options{BuildLeft: true}); err != nil {
						t.Fatal(err)
					}
					if got := out.Sorted(); !slices.Equal(got, want) {
						t.Errorf("chunks of %d rows: %d pairs, want %d", rows, len(got), len(want))
					}
					if err := h.Close(); err != nil {
						t.Error(err)
					}
				})
			}
			one(t, e, func(task *engine.Task) {
				h := j.chunks(t, task, 130)
				got, err := AggregateOver(task, h, Options{BuildLeft: true})
				if err != nil {
					t.Fatal(err)
				}
				for i, a := range j.aggs {
					w := a.Aggregate(want)
					if got[i].Null != w.Null || (!w.Null && jointest.Integer(got[i]).Cmp(w.Int) != 0) {
						t.Errorf("aggregate %d is %+v, want %+v", i, got[i], w)
					}
				}
				if err := h.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestPinnedColumns joins with a probe side that kernels read from pinned host memory.
func TestPinnedColumns(t *testing.T) {
	e := enginetest.New(t, 16<<20)
	l, r := keys(column.I32, "half", 200, 1, false), keys(column.I32, "half", 900, 2, true)
	conditions := equality(l, r)
	one(t, e, func(task *engine.Task) {
		in := upload(t, task, 200, 900, conditions)
		h := pinned(t, task, r)
		in.Conditions[0].Right.Values, in.Conditions[0].Right.Valid = gpu.HostPtr(h.Values), gpu.HostPtr(h.Valid)
		checkPairs(t, task, in, conditions, 300, Options{BuildLeft: true})
	})
}
