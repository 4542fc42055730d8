// Package planner turns a bound query into an executable plan: rewrite rules, join
// order, and the choice of an algorithm and a device for every operator by cost.
package planner

import (
	"gsql/planner/cost"
	"gsql/planner/implement"
	"gsql/planner/joinorder"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/planner/rules"
	"gsql/sql/catalog"
	"gsql/sql/expr"
)

// Options control one Optimize. The zero value plans for a CPU with one worker.
type Options struct {
	DisabledRules map[string]bool // names of rules that must not run (SET gsql_disable_rules)
	Device        string          // "auto" (or ""): any device; "cpu": the CPU alone
	Workers       int             // goroutines a query may use; at least 1
	// Devices are the devices and what they can run. Without profiles it is the
	// built-in CPU profile with Workers.
	Devices implement.Placement
	NextID  func() expr.ColID                             // makes column ids; nil: after the largest in use
	Eval    func(expr.Expr) (catalog.Datum, error)        // value of constant expressions; nil: without a session
	Warn    func(code uint16, msg string)                 // takes warnings (3126: a hint was ignored); may be nil
	Observe func(rule string, before, after logical.Node) // called for rules that fired; may be nil
}

// Optimize plans n. The result gives the columns of n.Schema() in order and is
// read-only.
func Optimize(n logical.Node, opt Options) (*physical.Node, error) {
	n, _, err := rules.Rewrite(n, rules.Options{Disabled: opt.DisabledRules, NextID: opt.NextID, Eval: opt.Eval, Observe: opt.Observe})
	if err != nil {
		return nil, err
	}
	est := cost.NewEstimator()
	place := opt.placement()
	n = joinorder.Order(n, joinorder.Options{Estimator: est, Model: cost.Model{P: place.Profiles[0]}, Warn: opt.Warn})
	return implement.Plan(n, implement.Options{Placement: place, Estimator: est, Warn: opt.Warn})
}

func (o *Options) placement() implement.Placement {
	p := o.Devices
	if len(p.Profiles) == 0 {
		p.Profiles = []cost.Profile{cost.Default(o.Workers)}
	}
	if o.Device == "cpu" {
		p.Profiles, p.CanRun = p.Profiles[:1], nil
	}
	return p
}
