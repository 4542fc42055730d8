package constraint

import (
	"sync"

	"gsql/sql/catalog"
	"gsql/sql/vec"
)

// deferred compiles rules when they are first applied.
type deferred struct {
	once    sync.Once
	compile func() (catalog.RowRules, error)
	rules   catalog.RowRules
	err     error
}

// Deferred returns rules that compile returns when they are first applied.
func Deferred(compile func() (catalog.RowRules, error)) catalog.RowRules {
	return &deferred{compile: compile}
}

// Apply implements catalog.RowRules.
func (d *deferred) Apply(env catalog.Env, cols []*vec.Vector) (held int64, err error) {
	d.once.Do(func() { d.rules, d.err = d.compile() })
	if d.err != nil || d.rules == nil {
		return 0, d.err
	}
	return d.rules.Apply(env, cols)
}
