//go:build sim || cuda

package hash

import (
	"context"
	"errors"
	"slices"
	"testing"

	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/enginetest"
	"gsql/gpu/join"
	"gsql/gpu/join/jointest"
	"gsql/sql/sqlerr"
)

// failing are joins that go through every kind of table, as pairs and as aggregates.
func failing() map[string][]jointest.Condition {
	const left, right = 120, 250
	more := jointest.Condition{Op: join.LE, Left: keys(column.I32, "half", left, 5, false), Right: keys(column.I32, "half", right, 6, false)}
	return map[string][]jointest.Condition{
		"dense":  equality(keys(column.I32, "dense", left, 1, false), keys(column.I32, "dense", right, 1, false)),
		"unique": equality(keys(column.I64, "unique", left, 1, false), keys(column.I64, "unique", right, 1, false)),
		"runs":   append(equality(keys(column.I32, "half", left, 1, true), keys(column.I32, "half", right, 2, true)), more),
		"packed": append(equality(keys(column.I32, "few", left, 1, true), keys(column.I32, "few", right, 2, true)), equality(keys(column.I64, "half", left, 3, true), keys(column.I64, "half", right, 4, true))...),
	}
}

// attempt joins into out and returns COUNT(*).
func attempt(task *engine.Task, in join.Input, out join.Output) (uint64, error) {
	if err := Pairs(task, in, out, Options{BuildLeft: true}); err != nil {
		return 0, err
	}
	counts, err := Aggregate(task, in, []join.Agg{{Func: join.CountRows}}, Options{BuildLeft: true})
	if err != nil {
		return 0, err
	}
	return counts[0].Lo, nil
}

// TestLittleMemory leaves ever more memory: joins fail with 1037, each allocation once, until
// they succeed with what Bytes says at the latest; they never answer wrongly.
func TestLittleMemory(t *testing.T) {
	for name, conditions := range failing() {
		t.Run(name, func(t *testing.T) {
			left, right := conditions[0].Left.Rows(), conditions[0].Right.Rows()
			want := jointest.Pairs(left, right, conditions)
			refused := 0
			for free := int64(0); ; free += 256 + free/8 {
				e := enginetest.New(t, 4<<20+free)
				fits := false
				one(t, e, func(task *engine.Task) {
					in := upload(t, task, left, right, conditions)
					out := jointest.NewOutput(t, task, 300)
					enough := Bytes(in, []join.Agg{{Func: join.CountRows}}, Options{BuildLeft: true})
					if _, err := task.Alloc(task.Free() - free); err != nil {
						t.Fatal(err)
					}
					count, err := attempt(task, in, out)
					got := out.Sorted()
					switch {
					case err == nil:
						fits = true
						if !slices.Equal(got, want) || count != uint64(len(want)) {
							t.Errorf("with %d bytes: %d pairs and a count of %d, want %d", free, len(got), count, len(want))
						}
					case !errors.Is(err, sqlerr.OutOfMemory):
						t.Fatal(err)
					case free >= enough:
						t.Errorf("%d bytes do not suffice, Bytes says %d", free, enough)
					}
				})
				if fits {
					break
				}
				refused++
			}
			if refused < 4 {
				t.Errorf("memory was refused %d times only", refused)
			}
		})
	}
}

// countdown is a context that is cancelled once it has been asked n times.
type countdown struct {
	context.Context
	n *int
}

func (c countdown) Err() error {
	if *c.n--; *c.n < 0 {
		return context.Canceled
	}
	return nil
}

// TestCancelled cancels in each phase, and the task's memory is free again.
func TestCancelled(t *testing.T) {
	e := enginetest.New(t, 16<<20)
	for name, conditions := range failing() {
		t.Run(name, func(t *testing.T) {
			left, right := conditions[0].Left.Rows(), conditions[0].Right.Rows()
			for n := 0; ; n++ {
				done := false
				one(t, e, func(task *engine.Task) {
					in := upload(t, task, left, right, conditions)
					out, err := task.NewDevicePairs(20000)
					if err != nil {
						t.Fatal(err)
					}
					free, asked := task.Free(), n
					ctx := task.Ctx
					task.Ctx = countdown{ctx, &asked}
					_, err = attempt(task, in, out)
					task.Ctx = ctx
					done = err == nil
					if err != nil && !errors.Is(err, context.Canceled) {
						t.Fatal(err)
					}
					if task.Free() != free {
						t.Errorf("cancelled at check %d, %d bytes are not given back", n, free-task.Free())
					}
				})
				if done {
					if n < 8 {
						t.Errorf("cancellation is asked for %d times only", n)
					}
					return
				}
			}
		})
	}
}
