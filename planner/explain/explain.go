// Package explain writes physical plans for people and programs: as a table, as an indented tree
// and as JSON, with the planner's estimates and, after an execution, the measurements.
package explain

import (
	"math"
	"strconv"
	"strings"
	"time"

	"gsql/planner/fuse"
	"gsql/planner/physical"
)

// Metrics holds the measurements of an execution by node ID; nil for a plan not executed.
type Metrics map[int]*physical.Metrics

// crossed reports whether any data moved between the host and another device.
func (m Metrics) crossed() bool {
	for _, x := range m {
		if x.BytesToDevice+x.BytesFromDevice > 0 {
			return true
		}
	}
	return false
}

// Columns returns the column names of Table.
func Columns(m Metrics) []string {
	cols := []string{"operator", "device", "est_rows", "cost_ms"}
	if m != nil {
		cols = append(cols, "act_rows", "q_error", "time_ms", "memory")
		if m.crossed() {
			cols = append(cols, "moved")
		}
	}
	return append(cols, "details", "best_rejected")
}

// Table returns one row per operator, indented to show the tree. Costs and times include
// everything below the operator; times are summed over workers.
func Table(root *physical.Node, m Metrics) [][]string {
	var rows [][]string
	walk(root, func(n *physical.Node, prefix string) {
		name, details := n.Op.Describe()
		row := []string{prefix + name, string(n.Device), number(n.Est.Rows), millis(n.Est.TotalMS)}
		if m != nil {
			row = append(row, measured(n, m[n.ID])...)
			if m.crossed() {
				row = append(row, moved(m[n.ID]))
			}
			details = append(details, onDevice(m[n.ID])...)
			details = append(append(details, dropped(m[n.ID])...), fallback(m[n.ID])...)
		}
		rows = append(rows, append(row, strings.Join(details, "; "), rejected(n)))
	})
	return rows
}

// measured returns the columns of ANALYZE. An operator that never ran, or whose work another one
// did, has no row count.
func measured(n *physical.Node, m *physical.Metrics) []string {
	switch {
	case m == nil, m.Unread && m.Time == 0:
		return []string{"", "", "", ""}
	case m.Unread:
		return []string{"", "", millis(ms(m.Time)), memory(m)}
	}
	return []string{strconv.FormatInt(m.Rows, 10), number(QError(n.Est.Rows, m.Rows)), millis(ms(m.Time)), memory(m)}
}

// memory returns how much memory an operator held, and how much it spilled.
func memory(m *physical.Metrics) string {
	if m.Spilled > 0 {
		return bytes(m.Mem) + ", " + bytes(m.Spilled) + " on disk"
	}
	return bytes(m.Mem)
}

// onDevice returns how long an operator occupied its device, and what it launched and waited for there.
func onDevice(m *physical.Metrics) []string {
	if m == nil || m.DeviceTime == 0 {
		return nil
	}
	text := "device " + millis(ms(m.DeviceTime)) + " ms"
	if m.Launches > 0 {
		text += ", launches " + strconv.FormatInt(m.Launches, 10) + ", waits " + strconv.FormatInt(m.Waits, 10)
	}
	if m.Pieces > 0 {
		text += ", rows from the host in " + strconv.FormatInt(m.Pieces, 10) + " pieces"
	}
	if m.Divided > 0 {
		text += ", divided before in " + millis(ms(m.Divided)) + " ms"
	}
	if m.Passes > 0 {
		text += ", joined in " + strconv.FormatInt(m.Passes, 10) + " passes"
	}
	if len(m.Received) > 0 {
		text += ", received " + strings.Join(each(m.Received), ", ")
	}
	if len(m.Sent) > 0 {
		text += ", sent " + strings.Join(each(m.Sent), ", ")
	}
	if m.Balance > 0 {
		text += ", balance " + strconv.FormatFloat(m.Balance, 'f', 2, 64)
	}
	return []string{text}
}

// each returns the bytes of each of several devices.
func each(amounts []int64) []string {
	out := make([]string, len(amounts))
	for i, n := range amounts {
		out[i] = bytes(n)
	}
	return out
}

// moved returns the amounts transferred to a device and back.
func moved(m *physical.Metrics) string {
	var parts []string
	if m != nil && m.BytesToDevice > 0 {
		parts = append(parts, bytes(m.BytesToDevice)+" in")
	}
	if m != nil && m.BytesFromDevice > 0 {
		parts = append(parts, bytes(m.BytesFromDevice)+" out")
	}
	return strings.Join(parts, ", ")
}

// dropped returns how many rows of a scan dynamic filters dropped.
func dropped(m *physical.Metrics) []string {
	if m == nil || m.Dropped == 0 {
		return nil
	}
	return []string{"dropped by dynamic filters: " + strconv.FormatInt(m.Dropped, 10) + " rows"}
}

// fallback returns the reason why an operator did not run on its device.
func fallback(m *physical.Metrics) []string {
	if m == nil || m.Fallback == "" {
		return nil
	}
	return []string{"ran on the CPU: " + m.Fallback}
}

// QError returns the factor by which an estimate missed, at least 1. Less than one row
// counts as one.
func QError(estimate float64, actual int64) float64 {
	e, a := max(estimate, 1), max(float64(actual), 1)
	return max(e/a, a/e)
}

// rejected describes the cheapest alternative that could have run, and the reason why another
// device could not run the operator as it is.
func rejected(n *physical.Node) string {
	var parts []string
	if len(n.Rejected) > 0 && n.Rejected[0].Why == "" {
		parts = append(parts, bid(&n.Rejected[0], n))
	}
	_, isGroupJoin := n.Op.(*physical.GroupJoin) // no device executes group joins: the obstacles for its join are shown
	for i := range n.Rejected {
		r := &n.Rejected[i]
		algo, _, _ := strings.Cut(r.Algorithm, " ")
		if r.Why != "" && r.Device != n.Device && (algo == n.Op.Kind() || isGroupJoin || r.Algorithm == fuse.BidName) {
			parts = append(parts, bid(r, n))
			break
		}
	}
	return strings.Join(parts, "; ")
}

// bid formats an alternative: its algorithm, other differences from the chosen operator in
// brackets, its device if different, and its price or the reason why it cannot run.
func bid(b *physical.Bid, taken *physical.Node) string {
	s, _, _ := strings.Cut(b.Algorithm, " ")
	if differs := b.Differences(taken); len(differs) > 0 {
		s += " (" + strings.Join(differs, "; ") + ")"
	} else if b.Join == nil {
		s = b.Algorithm
	}
	if b.Device != taken.Device {
		s += " on " + string(b.Device)
	}
	if b.Why != "" {
		return s + ": " + b.Why
	}
	return s + " " + millis(b.TotalMS) + " ms"
}

// walk visits nodes in pre-order with the tree lines that lead to each.
func walk(root *physical.Node, f func(n *physical.Node, prefix string)) {
	var visit func(n *physical.Node, head, tail string)
	visit = func(n *physical.Node, head, tail string) {
		f(n, head)
		for i, in := range n.In {
			if i == len(n.In)-1 {
				visit(in, tail+"└─", tail+"  ")
			} else {
				visit(in, tail+"├─", tail+"│ ")
			}
		}
	}
	visit(root, "", "")
}

// number formats a count, with three significant digits below a thousand and as a whole number
// above.
func number(x float64) string {
	if x >= 1000 || x == math.Trunc(x) {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return significant(x)
}

func millis(x float64) string {
	if x >= 1000 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return significant(x)
}

// significant formats a number with three significant digits and no exponent.
func significant(x float64) string {
	r, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
	if err != nil {
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
	return strconv.FormatFloat(r, 'f', -1, 64)
}

func ms(d time.Duration) float64 { return float64(d) / 1e6 }

// bytes formats a size with a binary unit.
func bytes(n int64) string {
	x, unit := float64(n), 0
	units := [...]string{"B", "KiB", "MiB", "GiB", "TiB"}
	for x >= 1024 && unit < len(units)-1 {
		x /= 1024
		unit++
	}
	if x == 0 {
		return ""
	}
	return significant(x) + " " + units[unit]
}
