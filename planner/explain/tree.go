package explain

import (
	"fmt"
	"strconv"
	"strings"

	"gsql/planner/physical"
)

// Tree returns FORMAT='tree': one line per operator, with its numbers, followed by one line for
// each of its details and for the bids that it won against.
func Tree(root *physical.Node, m Metrics) []string {
	var lines []string
	var visit func(n *physical.Node, indent string, fused bool)
	visit = func(n *physical.Node, indent string, fused bool) {
		name, details := n.Op.Describe()
		lines = append(lines, fmt.Sprintf("%s-> %s on %s  (%s)%s", indent, name, n.Device, expected(n), happened(n, m, fused)))
		below := indent + "     "
		details = append(append(details, dropped(m[n.ID])...), fallback(m[n.ID])...)
		for _, d := range details {
			lines = append(lines, below+d)
		}
		if len(n.Rejected) > 0 {
			lines = append(lines, below+"rejected: "+strings.Join(bids(n), ", "))
		}
		if _, ok := n.Op.(*physical.Pipelines); ok && m[n.ID] != nil {
			fused = m[n.ID].Time > 0
		}
		for _, in := range n.In {
			visit(in, indent+"    ", fused)
		}
	}
	visit(root, "", false)
	return lines
}

func expected(n *physical.Node) string {
	return fmt.Sprintf("rows=%s cost=%s ms, own %s ms", number(n.Est.Rows), millis(n.Est.TotalMS), millis(n.Est.CostMS))
}

// happened returns the measurements of n. fused is set if pipelines that were executed contain it.
func happened(n *physical.Node, all Metrics, fused bool) string {
	if all == nil {
		return ""
	}
	m := all[n.ID]
	if m == nil || m.Unread && m.Time == 0 {
		if fused {
			return "  (executed as pipelines)"
		}
		return "  (never executed)"
	}
	s := fmt.Sprintf("  (actual rows=%d q_error=%s time=%s ms batches=%d", m.Rows, number(QError(n.Est.Rows, m.Rows)), millis(ms(m.Time)), m.Batches)
	if m.Unread {
		s = fmt.Sprintf("  (rows never read, time=%s ms", millis(ms(m.Time)))
	}
	if m.Mem > 0 {
		s += " memory=" + bytes(m.Mem)
	}
	if m.Spilled > 0 {
		s += " disk=" + bytes(m.Spilled)
	}
	if x := moved(m); x != "" {
		s += " moved=" + x
	}
	if len(m.Received) > 0 {
		s += " received=" + strings.Join(each(m.Received), "+")
	}
	if len(m.Sent) > 0 {
		s += " sent=" + strings.Join(each(m.Sent), "+")
	}
	if m.Balance > 0 {
		s += " balance=" + strconv.FormatFloat(m.Balance, 'f', 2, 64)
	}
	return s + ")"
}

func bids(n *physical.Node) []string {
	out := make([]string, len(n.Rejected))
	for i := range n.Rejected {
		out[i] = bid(&n.Rejected[i], n)
	}
	return out
}
