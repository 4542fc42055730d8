// Package planner turns a bound query into an executable plan: it applies rewrite rules, orders
// joins, and chooses an algorithm and a device for every operator by cost.
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
	"gsql/sql/sqlerr"
)

// Options control one Optimize. The zero value plans for a CPU with one worker.
type Options struct {
	DisabledRules map[string]bool // names of rules that must not run (SET gsql_disable_rules)
	Workers       int             // maximum number of goroutines of a query; at least 1
	// Devices determine where operators may run. Without a CPU profile, the built-in one with
	// Workers is used.
	Devices implement.Placement
	NextID  func() expr.ColID                      // returns new column ids; nil: they follow the largest in use
	Eval    func(expr.Expr) (catalog.Datum, error) // value of constant expressions; nil: without a session
	Warn    func(code uint16, msg string)          // receives warnings (3126: a hint was ignored); may be nil
	// Fallback is called if a requested device is not used; see implement.Options.
	Fallback func(code sqlerr.Code, msg string) error
	// WinnersOnly omits the losing bids from the plan, which only EXPLAIN shows.
	WinnersOnly bool
	Observe     func(rule string, before, after logical.Node) // called for rules that fired; may be nil
}

// RuleNames returns the names that gsql_disable_rules accepts: rewrite rules, and alternatives
// that are chosen by price.
func RuleNames() []string { return append(rules.Names(), implement.Names()...) }

// Optimize plans n. The result has the columns of n.Schema() in order. It is read-only.
func Optimize(n logical.Node, opt Options) (*physical.Node, error) {
	n, _, err := rules.Rewrite(n, rules.Options{Disabled: opt.DisabledRules, NextID: opt.NextID, Eval: opt.Eval, Observe: opt.Observe})
	if err != nil {
		return nil, err
	}
	est, place := cost.NewEstimator(), opt.Devices
	if place.CPU == (cost.Profile{}) {
		place.CPU = cost.Default(opt.Workers)
	}
	dynamic := !opt.DisabledRules[implement.DynamicRule]
	orders := joinorder.Orders(n, joinorder.Options{Estimator: est, Model: cost.Model{P: place.CPU}, Warn: opt.Warn, Filters: dynamic, Lookups: dynamic})
	plan, err := implement.Plan(orders, implement.Options{Placement: place, Estimator: est, Warn: opt.Warn, Disabled: opt.DisabledRules, Fallback: opt.Fallback, WinnersOnly: opt.WinnersOnly})
	if err == nil {
		plan.Serial = draws(n)
	}
	return plan, err
}

// draws reports whether an expression takes its values from a sequence. Several workers would take them in
// an order that depends on chance.
func draws(n logical.Node) bool {
	found := false
	logical.EachExpr(n, func(e expr.Expr) { found = found || expr.Draws(e) })
	for _, in := range n.Inputs() {
		found = found || draws(in)
	}
	return found
}
