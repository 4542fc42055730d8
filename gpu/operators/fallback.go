package operators

import (
	"errors"

	"gsql/exec"
	"gsql/exec/op"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/sql/sqlerr"
)

// fellBack records that the CPU does the work of an operator because of a device's error. It
// returns an error if falling back is not allowed.
func fellBack(ctx *op.Ctx, operator string, noted *exec.Crossings, cause error) error {
	why := sqlerr.From(cause).Msg
	noted.Fallback.Store(&why)
	if ctx.FellBack == nil {
		return nil
	}
	return ctx.FellBack(operator, cause)
}

// noteTime adds the time for which a task has held the device to the times that EXPLAIN ANALYZE
// shows.
func noteTime(t *engine.Task, noted *exec.Crossings) error {
	d, err := t.Time()
	noted.Time.Add(int64(d))
	launches, waits := t.Work()
	noted.Launches.Add(launches)
	noted.Waits.Add(waits)
	return err
}

// withWidths does the work with columns as wide as statistics suggest. If values do not fit, it
// repeats the work with columns as wide as their types.
func withWidths(do func(wide bool) error) error {
	err := do(false)
	if errors.Is(err, column.ErrRange) {
		return do(true)
	}
	return err
}
