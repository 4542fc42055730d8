package implement

import (
	"fmt"
	"slices"
	"strings"

	"gsql/planner/logical"
	"gsql/sql/sqlerr"
)

// applyHint forbids what a hint forbids, and everything else where it forces some.
// When nothing would be left the hint is ignored with a warning.
func (p *planner) applyHint(h *logical.JoinHint, cands []candidate) {
	if h == nil || len(h.Force)+len(h.Forbid) == 0 && h.Device == "" {
		return
	}
	if len(h.Force)+len(h.Forbid) > 0 {
		p.restrict(h, cands)
	}
	if h.Device == "gpu" && len(p.models) == 1 {
		p.ignored(h, "there is no such device")
		return
	}
	for i := range cands {
		cands[i].only = h.Device
	}
}

func (p *planner) restrict(h *logical.JoinHint, cands []candidate) {
	allowed := func(c *candidate) bool {
		algo := hintName(c.name)
		return (len(h.Force) == 0 || slices.Contains(h.Force, algo)) && !slices.Contains(h.Forbid, algo)
	}
	why, left := "it leaves no algorithm", false
	for i := range cands {
		if !allowed(&cands[i]) {
			continue
		}
		left = left || cands[i].why == ""
		if cands[i].why != "" {
			why = "the join has " + cands[i].why
		}
	}
	if !left {
		p.ignored(h, why)
		return
	}
	for i := range cands {
		if cands[i].why == "" && !allowed(&cands[i]) {
			cands[i].why = "forbidden by hint"
		}
	}
}

// hintName gives the word by which hints call the algorithm of a candidate.
func hintName(candidate string) string {
	algo, _, _ := strings.Cut(candidate, "_join")
	return algo
}

func (p *planner) ignored(h *logical.JoinHint, why string) {
	p.warn(uint16(sqlerr.HintIgnored), fmt.Sprintf("Hint %s is ignored: %s", h.Text, why))
}
