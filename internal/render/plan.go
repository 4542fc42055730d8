package render

import (
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"gsql"
)

const (
	// planWidth is the width of a plan that is not written to a terminal.
	planWidth = 120
	// leastWrapped is the least width of a plan's last two columns together. If less is left, their
	// text is placed below the operators.
	leastWrapped = 48
	// leastBelow is the least width of text below an operator.
	leastBelow = 30
)

// isPlan reports whether a result is a plan: the rows of EXPLAIN.
func isPlan(cols []gsql.Column) bool {
	n := len(cols)
	return n > 2 && cols[0].Name == "operator" && cols[n-2].Name == "details" && cols[n-1].Name == "best_rejected"
}

// wrapPlan wraps the details of a plan and its rejected bids, so that lines fit the width.
func (g *grid) wrapPlan(rows [][]string) [][]string {
	limit := g.opt.Width
	if limit <= 0 {
		limit = planWidth
	}
	g.opt.Width = 0
	k := len(g.cols) - 2
	widths := g.widths(rows)
	spare := limit - len("|") - 2*len(" | ")
	for _, w := range widths[:k] {
		spare -= w.natural + len(" | ")
	}
	details, rejected := widths[k].natural, widths[k+1].natural
	switch {
	case details+rejected <= spare:
		return rows
	case spare < leastWrapped:
		return g.foldPlan(rows, spare+2*len(" | ")+widths[0].natural)
	}
	rejected = min(rejected, max(spare/3, spare-details))
	for _, r := range rows {
		r[k] = strings.Join(wrap(r[k], spare-rejected), "\n")
		r[k+1] = strings.Join(wrap(r[k+1], rejected), "\n")
	}
	return rows
}

// foldPlan places the last two columns below the operators, which have the given width.
func (g *grid) foldPlan(rows [][]string, width int) [][]string {
	k := len(g.cols) - 2
	g.cols = g.cols[:k]
	out := make([][]string, len(rows))
	for i, r := range rows {
		lines := []string{r[0]}
		indent := below(r[0], i+1 < len(rows) && depth(rows[i+1][0]) > depth(r[0]))
		if runes := []rune(indent); len(runes) > width-leastBelow {
			indent = string(runes[:max(width-leastBelow, 0)])
		}
		room := max(width-len([]rune(indent)), leastBelow)
		for _, l := range wrap(r[k], room) {
			lines = append(lines, indent+l)
		}
		if r[k+1] != "" {
			for _, l := range wrap("rejected: "+r[k+1], room) {
				lines = append(lines, indent+l)
			}
		}
		out[i] = append([]string{strings.Join(lines, "\n")}, r[1:k]...)
	}
	return out
}

// depth counts the characters before an operator's name.
func depth(operator string) int {
	return slices.IndexFunc([]rune(operator), func(r rune) bool { return !strings.ContainsRune(" │├└─", r) })
}

// below returns the prefix of lines below an operator.
func below(operator string, hasInputs bool) string {
	head := string([]rune(operator)[:max(depth(operator), 0)])
	head = strings.NewReplacer("├─", "│ ", "└─", "  ").Replace(head)
	if hasInputs {
		return head + "│ "
	}
	return head + "  "
}

// wrap breaks a text into lines of a width: after semicolons, between words if a part does not fit,
// and within words that do not fit either.
func wrap(s string, width int) []string {
	if s == "" {
		return nil
	}
	var lines []string
	line := ""
	add := func(part, sep string) {
		if line != "" && text.StringWidthWithoutEscSequences(line+sep+part) <= width {
			line += sep + part
			return
		}
		if line != "" {
			lines = append(lines, strings.TrimRight(line, " "))
		}
		line = part
	}
	parts := strings.SplitAfter(s, "; ")
	for _, part := range parts {
		if part = strings.TrimRight(part, " "); text.StringWidthWithoutEscSequences(part) <= width {
			add(part, " ")
			continue
		}
		for _, word := range strings.Split(part, " ") {
			for text.StringWidthWithoutEscSequences(word) > width {
				head := text.Trim(word, width)
				add(head, " ")
				word = word[len(head):]
			}
			add(word, " ")
		}
	}
	return append(lines, line)
}
