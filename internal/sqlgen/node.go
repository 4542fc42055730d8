// Package sqlgen generates random SQL statements as trees, for tests that compare their answers
// with another server's or with those of the same query executed differently, or that only require
// that no statement crashes. Trees can be shortened to the part that still shows a difference, and
// broken in ways that a text cannot.
//
// All randomness comes from one source, so that a seed repeats a run.
package sqlgen

import "strings"

// Kind specifies the type of an expression's value; a piece of a clause has none.
type Kind string

// The kinds of values. Unsigned integers are separate because subtracting them may be an error;
// Bool is MySQL's 0, 1 or NULL.
const (
	Int      Kind = "int"
	Uint     Kind = "uint"
	Dec      Kind = "decimal"
	Float    Kind = "float"
	Str      Kind = "string"
	Date     Kind = "date"
	DateTime Kind = "datetime"
	Time     Kind = "time"
	Bool     Kind = "bool"
	Ci       Kind = "text" // a string that compares without case: never a query's column, whose case some row decides

	relations Kind = "from" // what FROM or a side of a join is
)

// Node is a piece of a statement: text with other pieces in it, or a list of pieces.
type Node struct {
	Kind Kind
	Text []string // before, between and after the Kids; nil in a list
	Kids []*Node

	Sep string // of a list
	Min int    // fewest Kids of a list that make sense

	Optional bool // the statement makes sense without it
	Off      bool // removed
}

// N returns a node from a format in which each $ stands for the next of kids, and each ¢ for a $.
func N(kind Kind, format string, kids ...*Node) *Node {
	text := strings.Split(format, "$")
	for i := range text {
		text[i] = strings.ReplaceAll(text[i], "¢", "$")
	}
	return &Node{Kind: kind, Text: text, Kids: kids}
}

// opt returns a piece of a clause that may be removed.
func opt(format string, kids ...*Node) *Node {
	n := N("", format, kids...)
	n.Optional = true
	return n
}

// list returns a list of at least least kids.
func list(sep string, least int, kids ...*Node) *Node {
	return &Node{Sep: sep, Min: least, Kids: kids}
}

// String writes the SQL.
func (n *Node) String() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

func (n *Node) write(b *strings.Builder) {
	if n == nil || n.Off {
		return
	}
	if n.Text == nil {
		for i, k := range n.Kids {
			if i > 0 {
				b.WriteString(n.Sep)
			}
			k.write(b)
		}
		return
	}
	for i, text := range n.Text {
		b.WriteString(text)
		if i < len(n.Kids) {
			n.Kids[i].write(b)
		}
	}
}

// Clone copies the whole tree.
func (n *Node) Clone() *Node {
	if n == nil {
		return nil
	}
	c := *n
	c.Kids = make([]*Node, len(n.Kids))
	for i, k := range n.Kids {
		c.Kids[i] = k.Clone()
	}
	return &c
}

// walk visits n and all that is written below it, parents first.
func (n *Node) walk(visit func(*Node)) {
	if n == nil || n.Off {
		return
	}
	visit(n)
	for _, k := range n.Kids {
		k.walk(visit)
	}
}

// size counts the nodes that are written.
func (n *Node) size() (count int) {
	n.walk(func(*Node) { count++ })
	return count
}
