package statement

import (
	"gsql/exec"
	"gsql/exec/progress"
	"gsql/exec/spill"
	"gsql/internal/mem"
	"gsql/planner"
	"gsql/planner/binder"
	"gsql/planner/implement"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// optimize plans a bound query with the session's settings.
func (r *run) optimize(n logical.Node) (*physical.Node, error) {
	return r.optimizeFor(n, r.s.Settings().Placement)
}

// optimizeFor is optimize for another placement.
func (r *run) optimizeFor(n logical.Node, on implement.Placement) (*physical.Node, error) {
	set := r.s.Settings()
	return planner.Optimize(n, planner.Options{
		DisabledRules: set.Disabled,
		Workers:       set.Workers,
		Devices:       on,
		WinnersOnly:   !r.explained,
		Warn:          func(code uint16, msg string) { r.notes.Refuse(); r.s.Warn(code, msg) },
		Fallback:      func(code sqlerr.Code, msg string) error { r.notes.Refuse(); return r.s.PlannedBack(code, msg) },
		Eval:          r.s.Constant,
	})
}

// execOptions returns the session's settings for the execution of a plan, and its memory account.
func (r *run) execOptions(plan *physical.Node) (exec.Options, *mem.Account) {
	set := r.s.Settings()
	workers, batchSize := set.Workers, set.BatchSize
	if binder.AssignsVariables(r.stmt.Text) {
		workers, batchSize = 1, 1
	}
	account := r.s.DB.Mem.Limited("query", set.MemoryLimit)
	space := spill.NewSpace(set.TempDir, set.TempLimit).For(account)
	return exec.Options{
		Eval:      kernel.Ctx{Env: r.s},
		Mem:       account,
		Workers:   workers,
		BatchSize: batchSize,
		RowsRead:  &r.c.rowsRead,
		Spill:     space,
		Progress:  r.c.follow(plan, space),
		FellBack:  r.s.FellBack,
		Few:       r.s.DB.Few,
	}, account
}

// follow returns the progress of a plan that is about to run, or nil if it is not watched.
func (c *Connection) follow(plan *physical.Node, space *spill.Space) *progress.Plan {
	if !c.watched.Load() {
		return nil
	}
	p := progress.New(plan, space)
	c.running.Store(p)
	return p
}

// running is a plan being executed, with the memory account that it charges.
type running struct {
	*exec.Result
	account *mem.Account
}

// Close ends the execution and releases what the account still holds.
func (r *running) Close() error {
	err := r.Result.Close()
	r.account.ReleaseAll()
	return err
}

// start begins to execute a plan with the session's settings.
func (r *run) start(plan *physical.Node, analyze bool) (*running, error) {
	opt, account := r.execOptions(plan)
	opt.Analyze = analyze
	return r.startIn(plan, opt, account)
}

// startIn begins to execute a plan with the settings and the account of execOptions.
func (r *run) startIn(plan *physical.Node, opt exec.Options, account *mem.Account) (*running, error) {
	r.s.DB.Placements.Ran(plan)
	res, err := exec.Run(r.ctx, plan, r.s.DB.Registry, opt)
	if err != nil {
		account.ReleaseAll()
		return nil, err
	}
	return &running{res, account}, nil
}

// each executes a plan to its end and calls f for every batch, in one goroutine.
func (r *run) each(plan *physical.Node, f func(*vec.Batch) error) error {
	res, err := r.start(plan, false)
	if err != nil {
		return err
	}
	return drain(res, f)
}

// drain reads an execution to its end, calls f for every batch and closes it.
func drain(res *running, f func(*vec.Batch) error) error {
	for {
		b, err := res.Next()
		if err == nil && b != nil {
			err = f(b)
		}
		if err != nil || b == nil {
			if cerr := res.Close(); err == nil {
				err = cerr
			}
			return err
		}
	}
}
