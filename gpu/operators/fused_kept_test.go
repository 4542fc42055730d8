package operators

import (
	"runtime"
	"testing"

	"gsql/planner/physical"
)

func TestKeptPrograms(t *testing.T) {
	var k keptPrograms
	nodes := make([]*physical.Node, mostKept+1)
	for i := range nodes {
		nodes[i] = &physical.Node{ID: i}
		k.put(nodes[i], &prepared{size: int64(i)})
		if i == 1 {
			k.get(nodes[0])
		}
	}
	if k.get(nodes[1]) != nil || len(k.all) != mostKept {
		t.Error("the program used least recently was kept")
	}
	for _, i := range []int{0, 2, mostKept} {
		if p := k.get(nodes[i]); p == nil || p.size != int64(i) {
			t.Errorf("program %d was not kept", i)
		}
	}
	k.put(nodes[2], &prepared{size: -2})
	if p := k.get(nodes[2]); p.size != -2 || len(k.all) != mostKept {
		t.Error("a node has its first program")
	}
	live := nodes[2]
	clear(nodes)
	runtime.GC()
	k.put(&physical.Node{}, &prepared{})
	if k.get(live) == nil || len(k.all) > 2 {
		t.Errorf("%d programs, want those of plans in use", len(k.all))
	}
}
