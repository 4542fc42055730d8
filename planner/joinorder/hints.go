package joinorder

import (
	"fmt"
	"strings"

	"gsql/planner/logical"
	"gsql/sql/sqlerr"
)

// lead joins the relations that a LEADING hint names, from left to right, into one unit. A hint
// that names other tables, and any second hint, is ignored with a warning.
func (o *orderer) lead(s *searcher, g *graph, units []*tree, hints []*logical.JoinHint) []*tree {
	for _, h := range hints {
		if len(h.Leading) == 0 || o.warned[h] {
			continue
		}
		out, missing := leading(s, g, units, h.Leading)
		if missing == "" {
			return out
		}
		if o.warned == nil {
			o.warned = map[*logical.JoinHint]bool{}
		}
		o.warned[h] = true
		o.opt.Warn(uint16(sqlerr.HintIgnored), fmt.Sprintf("Hint %s is ignored: %s is not among the tables that can be reordered", h.Text, missing))
	}
	return units
}

func leading(s *searcher, g *graph, units []*tree, aliases []string) (out []*tree, missing string) {
	var first *tree
	used := relset(0)
	for _, a := range aliases {
		i := g.relation(a)
		if i < 0 || used&(1<<i) != 0 {
			return nil, a
		}
		used |= 1 << i
		if first == nil {
			first = units[i]
			continue
		}
		t := s.join(first, units[i], -1)
		t.l, t.r = first, units[i]
		first = &t
	}
	out = []*tree{first}
	for i, u := range units {
		if used&(1<<i) == 0 {
			out = append(out, u)
		}
	}
	return out, ""
}

// relation finds a relation by its alias, or returns -1.
func (g *graph) relation(alias string) int {
	for i := range g.rels {
		if strings.EqualFold(g.rels[i].alias, alias) {
			return i
		}
	}
	return -1
}
