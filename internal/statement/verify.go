package statement

import (
	"slices"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/internal/result"
	"gsql/planner/binder"
	"gsql/planner/fuse"
	"gsql/planner/physical"
	"gsql/sql/sqlerr"
	"gsql/storage"
)

// verifiable reports whether gsql_verify applies to a plan: it uses a device, and its rows do not
// depend on their order.
func verifiable(r *run, plan *physical.Node) bool {
	return r.s.Settings().Verify && len(devicesOf(plan, nil)) > 0 && !fuse.InOrder(plan) && !binder.AssignsVariables(r.stmt.Text)
}

// verified runs a query by its plan with devices and by the CPU's plan, and delivers the CPU's rows.
// They end with an error if the rows differ.
func verified(r *run, tx *storage.Tx, n ast.Node, plan *physical.Node) (result.Source, error) {
	bound, err := r.binder(tx).Query(r.ctx, &r.stmt, n)
	if err != nil {
		return nil, err
	}
	cpu := r.s.Settings().Placement
	cpu.Device = "cpu"
	home, err := r.optimizeFor(bound.Node, cpu)
	if err != nil {
		return nil, err
	}
	device, err := r.start(plan, false)
	if err != nil {
		return nil, err
	}
	src, err := r.start(home, false)
	if err != nil {
		device.Close()
		return nil, err
	}
	c, err := result.NewCompared(src, device, src.account, func(d *result.Difference) error { return r.disagreement(plan, d) })
	if err != nil {
		src.Close()
		return nil, err
	}
	return c, nil
}

// disagreement returns the error for rows of a device that differ from the CPU's. It is a warning if
// a LIMIT may explain the difference.
func (r *run) disagreement(plan *physical.Node, d *result.Difference) error {
	if d == nil {
		return nil
	}
	err := sqlerr.Internal("%s computed other rows than the CPU: %s", strings.Join(devicesOf(plan, nil), ", "), describeDifference(d))
	if hasLimitBelow(plan) {
		err.Msg += "; LIMIT may keep any of the rows that its ORDER BY does not tell apart"
		r.s.Warn(uint16(err.Code), err.Msg)
		return nil
	}
	return err.WithHint("Please report this. SET gsql_device = 'cpu' avoids the device.")
}

func describeDifference(d *result.Difference) string {
	switch {
	case d.Surplus == "":
		return "it lacks (" + d.Missing + ")"
	case d.Missing == "":
		return "it has (" + d.Surplus + ")"
	}
	return "it has (" + d.Surplus + ") and lacks (" + d.Missing + ")"
}

// hasLimitBelow reports whether some operator of a plan keeps a number of rows.
func hasLimitBelow(n *physical.Node) bool {
	switch op := n.Op.(type) {
	case *physical.Limit:
		return true
	case *physical.Sort:
		if op.Limit >= 0 {
			return true
		}
	}
	return slices.ContainsFunc(n.In, hasLimitBelow)
}
