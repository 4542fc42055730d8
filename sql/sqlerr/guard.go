package sqlerr

import (
	"fmt"
	"runtime/debug"
)

// Guard runs f and converts a panic to error 1815 with the stack as its cause. Each goroutine
// does its work in a Guard, because an unrecovered panic ends the whole process.
func Guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			e := Internal("%v", p)
			e.Err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			err = e.WithHint("This is a bug in gsql; please report the statement.")
		}
	}()
	return f()
}
