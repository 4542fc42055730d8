// Package implement turns logical plans into physical ones. For every operator it collects bids,
// one for each algorithm and device, prices them with package cost and takes the cheapest. The
// bids that lost stay with the operator for EXPLAIN. A Placement supplies the devices.
//
// Besides the algorithms of single operators, these alternatives bid:
//
//   - A GroupJoin computes aggregates over a row's join partners without producing the pairs.
//     Conditions that no order of rows can resolve are tested for all pairs, but still no pair is
//     produced. Sums of products of both sides' columns are split into sums of each side, groups of
//     one side become rows of the other, and a condition of two bands becomes a difference of two
//     group joins.
//   - Eager aggregation aggregates an input of an equality join, or the left input of a left join,
//     by its join keys before the join.
//   - A null-aware join (NOT IN, <> ALL) is also planned as a chain of joins that need not distinguish
//     NULL from FALSE: one for equal partners, and others for NULLs on either side, each with the
//     conditions that correlate the subquery.
//   - A join that reads one input to its end before it opens the other one creates dynamic filters:
//     sets of its keys for scans in the other input, below projections, filters, joins, set operations
//     and aggregates by the key. A candidate is priced with the filters that save time.
//   - An index join looks up rows of a stored table by the values of a unique key that the other
//     input has, instead of reading the table.
//   - A device runs whole subtrees of the finished plan as pipelines (package fuse).
//   - Equal aggregates of the finished plan, and equal joins below aggregates, become one Shared
//     subplan.
//
// A plan that is cached for later executions contains placeholders for parameters. Before each
// execution constants replace them. If a scan is then expected to keep more than four times as many
// rows as the plan assumed, or less than a quarter, the query is planned again (package template).
package implement

import (
	"gsql/planner/colset"
	"gsql/planner/cost"
	"gsql/planner/fuse"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/planner/share"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
)

// Options control one Plan.
type Options struct {
	Placement Placement
	Estimator *cost.Estimator               // the statement's estimator; nil creates one
	Warn      func(code uint16, msg string) // may be nil
	Disabled  map[string]bool               // alternatives that must not be used; see Names
	// Fallback is called if a device was requested but the plan uses the CPU; an error aborts
	// planning. If nil, Warn is called.
	Fallback func(code sqlerr.Code, msg string) error
	// WinnersOnly drops the losing bids, which only EXPLAIN shows.
	WinnersOnly bool
}

// Plan returns the cheapest executable plan for one of several equivalent logical plans, with
// their output columns. The logical plans must not contain expr.Subquery. Node IDs count from 1
// in pre-order. Plan first plans for the CPU, and again with devices if the result may use some.
func Plan(orders []logical.Node, opt Options) (*physical.Node, error) {
	n := orders[0]
	p := newPlanner(n, opt)
	root, err := p.root(n)
	if err != nil {
		return nil, err
	}
	for _, other := range orders[1:] {
		q := newPlanner(other, opt)
		r, err := q.root(other)
		if err != nil {
			return nil, err
		}
		if r.Est.TotalMS < root.Est.TotalMS {
			n, p, root = other, q, r
		}
	}
	var devices []cost.Accelerator
	if p.wantsDevice(root) {
		var reason string
		if devices, reason = opt.Placement.open(root.Est.TotalMS); len(devices) == 0 {
			p.lacking(reason)
		}
	}
	if len(devices) > 0 {
		if p, root, err = onDevices(p, n, root, devices, opt); err != nil {
			return nil, err
		}
	} else {
		shareSubplans(p, root)
	}
	if err := p.report(opt.Fallback); err != nil {
		return nil, err
	}
	next := 0
	number(root, &next)
	if p.filters > 0 {
		numberFilters(root, map[int]int{})
	}
	return root, nil
}

// shareRule is the name that disables sharing of common subplans in gsql_disable_rules.
const shareRule = "CommonSubplans"

// shareSubplans arranges for equal subplans to be computed once.
func shareSubplans(p *planner, root *physical.Node) {
	if !p.disabled[shareRule] {
		share.Subplans(root, p.cpu)
	}
}

// number assigns IDs in pre-order.
func number(n *physical.Node, next *int) {
	*next++
	n.ID = *next
	for _, in := range n.In {
		number(in, next)
	}
}

type planner struct {
	est     *cost.Estimator
	cpu     cost.Model
	place   Placement
	devices []cost.Accelerator // none while planning for the CPU alone
	warn    func(code uint16, msg string)

	disabled map[string]bool
	lastID   expr.ColID // the largest in use
	filters  int        // dynamic filters considered so far

	notes   []note
	joins   int                 // joins planned so far
	able    bool                // some join could run on a device
	sorts   bool                // some sort could, or its refusal must be shown
	hints   []*logical.JoinHint // hints that request a device, collected while planning without devices
	inApply bool
	within  int // nesting depth of alternatives being planned
	steps   int // nesting depth of recursive expressions being planned

	winnersOnly bool        // losing bids are dropped
	cands       []candidate // reused by one join after another
}

func newPlanner(n logical.Node, opt Options) *planner {
	p := &planner{est: opt.Estimator, cpu: cost.Model{P: opt.Placement.CPU}, place: opt.Placement, warn: opt.Warn, disabled: opt.Disabled, winnersOnly: opt.WinnersOnly}
	var used colset.Set
	collect(n, &used)
	p.lastID = used.Bound()
	if p.cpu.P == (cost.Profile{}) {
		p.cpu.P = cost.Default(1)
	}
	if p.est == nil {
		p.est = cost.NewEstimator()
	}
	if p.warn == nil {
		p.warn = func(uint16, string) {}
	}
	return p
}

// newID returns a column id that the statement does not use.
func (p *planner) newID() expr.ColID {
	p.lastID++
	return p.lastID
}

// root plans n with exactly the columns of its schema.
func (p *planner) root(n logical.Node) (*physical.Node, error) {
	v, err := p.whole(n)
	if err != nil {
		return nil, err
	}
	return v.home(), nil
}

// wantsDevice reports whether a plan for the CPU is worth planning again with devices.
func (p *planner) wantsDevice(root *physical.Node) bool {
	switch {
	case p.place.Device == "cpu":
		for _, h := range p.hints {
			p.declined(h, "gsql_device is cpu")
		}
		return false
	case p.place.forced():
		return p.joins > 0 || p.sorts && p.place.several() || fuse.Works(root) && fuses(p, root)
	}
	return len(p.hints) > 0 || p.place.worthwhile(root.Est.TotalMS) && (p.able || p.sorts || fuses(p, root))
}

// lacking records that devices are requested but none is available.
func (p *planner) lacking(reason string) {
	for _, h := range p.hints {
		p.declined(h, reason)
	}
	if p.place.forced() && p.joins > 0 {
		p.fellBack("The query runs on the CPU: " + reason)
	}
}

// report passes the notes of the kept plan to fallback or as warnings to the session.
func (p *planner) report(fallback func(code sqlerr.Code, msg string) error) error {
	for _, n := range p.notes {
		if !n.fallback || fallback == nil {
			p.warn(uint16(n.code), n.msg)
		} else if err := fallback(n.code, n.msg); err != nil {
			return err
		}
	}
	return nil
}

// plan implements n. need holds the columns that operators above refer to; other columns may be
// missing from the result.
func (p *planner) plan(n logical.Node, need colset.Set) (variants, error) {
	switch n := n.(type) {
	case *logical.Scan:
		return p.scan(n, need), nil
	case *logical.Values:
		return p.values(n), nil
	case *logical.Filter:
		return p.filter(n, need)
	case *logical.Project:
		return p.project(n, need)
	case *logical.Join:
		return p.join(n, need)
	case *logical.Aggregate:
		return p.aggregate(n)
	case *logical.Rollup:
		return rollup(p, n)
	case *logical.Window:
		return p.window(n, need)
	case *logical.Sort:
		return p.sort(n, need, -1, 0)
	case *logical.Limit:
		return p.limit(n, need)
	case *logical.SetOp:
		return p.setOp(n)
	case *logical.Recursive:
		return p.recursive(n)
	case *logical.WorkTable:
		return p.workTable(n), nil
	case *logical.MaxOneRow:
		return p.maxOneRow(n, need)
	}
	return nil, sqlerr.Internal("no implementation of %T", n)
}
