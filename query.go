package gsql

import (
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/exec"
	"gsql/exec/spill"
	"gsql/internal/mem"
	"gsql/planner"
	"gsql/planner/binder"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
	"gsql/storage"
)

// query runs a SELECT or a set operation and streams its rows.
func (r *stmtRun) query(n ast.Node) (*Rows, error) {
	r.s.beginImplicitly()
	if r.s.tx == nil {
		r.s.nextReadOnly = nil // the query is the next transaction
	}
	tx, done := r.view()
	rows, err := r.stream(tx, n)
	if err != nil {
		done()
		return nil, err
	}
	rows.finish = func(err error) error { done(); return err }
	return rows, nil
}

func (r *stmtRun) stream(tx *storage.Tx, n ast.Node) (*Rows, error) {
	if countsAll(n) {
		return r.streamAll(tx, n)
	}
	p, err := r.plan(tx, n)
	if err != nil {
		return nil, err
	}
	res, err := r.start(p.node, false)
	if err != nil {
		return nil, err
	}
	return &Rows{Columns: slices.Clone(p.columns), src: res, plan: p.node}, nil
}

// streamAll is stream for a query with a LIMIT that all rows are counted of.
func (r *stmtRun) streamAll(tx *storage.Tx, n ast.Node) (*Rows, error) {
	bound, err := r.binder(tx).Query(r.ctx, &r.stmt, n)
	if err != nil {
		return nil, err
	}
	node, limit := withoutLimit(bound.Node)
	plan, err := r.optimize(node)
	if err != nil {
		return nil, err
	}
	res, err := r.start(plan, false)
	if err != nil {
		return nil, err
	}
	rows := &Rows{Columns: resultColumns(bound), src: res, plan: plan}
	if limit != nil {
		rows.src = &foundRows{batchSource: res, skip: limit.Offset, left: limit.Count}
	}
	return rows, nil
}

func resultColumns(b *binder.Bound) []Column {
	cols := make([]Column, len(b.Names))
	for i, name := range b.Names {
		cols[i] = Column{Name: name, Type: b.Columns[i].T, Nullable: !b.Columns[i].NotNull}
	}
	return cols
}

// optimize plans a bound query with the session's settings.
func (r *stmtRun) optimize(n logical.Node) (*physical.Node, error) {
	set := r.s.settings()
	return planner.Optimize(n, planner.Options{
		DisabledRules: set.disabled,
		Workers:       set.workers,
		Devices:       set.placement,
		WinnersOnly:   !r.explained,
		Warn:          func(code uint16, msg string) { r.notes.refuse(); r.s.Warn(code, msg) },
		Fallback:      func(code sqlerr.Code, msg string) error { r.notes.refuse(); return r.s.plannedBack(code, msg) },
		Eval:          r.s.constant,
	})
}

// constant computes an expression for the planner. One that warns is an error: it stays
// in the plan, so that it warns only when rows reach it.
func (s *Session) constant(e expr.Expr) (catalog.Datum, error) {
	env := quietEnv{Session: s}
	d, err := eval.Const(e, eval.Ctx{Env: &env})
	if err == nil && env.warning != 0 {
		err = sqlerr.New(env.warning, "constant expressions must not warn")
	}
	return d, err
}

// quietEnv is a session that keeps the code of the last warning to itself.
type quietEnv struct {
	*Session
	warning sqlerr.Code
}

// Warn implements eval.Env.
func (q *quietEnv) Warn(code uint16, _ string) { q.warning = sqlerr.Code(code) }

// execOptions gives the session's settings for an execution and its memory account.
func (r *stmtRun) execOptions() (exec.Options, *mem.Account) {
	set := r.s.settings()
	workers, batchSize := set.workers, set.batchSize
	if binder.AssignsVariables(r.stmt.Text) {
		workers, batchSize = 1, 1
	}
	account := r.s.db.mem.Limited("query", set.memoryLimit)
	return exec.Options{
		Eval:      eval.Ctx{Env: r.s},
		Mem:       account,
		Workers:   workers,
		BatchSize: batchSize,
		RowsRead:  &r.s.rowsRead,
		Spill:     spill.NewSpace(set.tempDir, set.tempLimit),
		FellBack:  r.s.fellBack,
		Few:       r.s.db.few,
	}, account
}

// running is a plan being executed with the memory account it charges.
type running struct {
	*exec.Result
	account *mem.Account
}

// Close ends the execution and gives back whatever the account still holds.
func (r *running) Close() error {
	err := r.Result.Close()
	r.account.ReleaseAll()
	return err
}

// start begins to execute a plan with the session's settings.
func (r *stmtRun) start(plan *physical.Node, analyze bool) (*running, error) {
	opt, account := r.execOptions()
	opt.Analyze = analyze
	res, err := exec.Run(r.ctx, plan, r.s.db.reg, opt)
	if err != nil {
		account.ReleaseAll()
		return nil, err
	}
	return &running{res, account}, nil
}

// each runs a plan to its end and calls f for every batch, in one goroutine.
func (r *stmtRun) each(plan *physical.Node, f func(*vec.Batch) error) error {
	res, err := r.start(plan, false)
	if err != nil {
		return err
	}
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
