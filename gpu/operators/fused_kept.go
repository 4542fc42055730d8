package operators

import (
	"slices"
	"sync"
	"weak"

	"gsql/planner/physical"
)

// mostKept is the maximum number of programs kept for later executions of their plans.
const mostKept = 256

// keptPrograms holds the programs of Pipelines nodes whose plans are still in use, ordered by last
// use. It does not keep plans in memory. Safe for concurrent use.
type keptPrograms struct {
	mu  sync.Mutex
	all []keptProgram
}

type keptProgram struct {
	node weak.Pointer[physical.Node]
	*prepared
}

// get returns the program of a node, or nil.
func (k *keptPrograms) get(n *physical.Node) *prepared {
	k.mu.Lock()
	defer k.mu.Unlock()
	at := k.find(n)
	if at < 0 {
		return nil
	}
	x := k.all[at]
	k.all = append(slices.Delete(k.all, at, at+1), x)
	return x.prepared
}

func (k *keptPrograms) find(n *physical.Node) int {
	node := weak.Make(n)
	return slices.IndexFunc(k.all, func(x keptProgram) bool { return x.node == node })
}

// put keeps the program of a node. It drops programs whose plans are gone, and the least recently
// used ones if there are too many.
func (k *keptPrograms) put(n *physical.Node, p *prepared) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if at := k.find(n); at >= 0 {
		k.all[at].prepared = p
		return
	}
	k.all = slices.DeleteFunc(k.all, func(x keptProgram) bool { return x.node.Value() == nil })
	if len(k.all) == mostKept {
		k.all = slices.Delete(k.all, 0, 1)
	}
	k.all = append(k.all, keptProgram{weak.Make(n), p})
}
