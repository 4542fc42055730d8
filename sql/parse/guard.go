package parse

import (
	"strings"

	"gsql/sql/sqlerr"
	"gsql/sql/sqlmode"
)

// Limits on nesting. They keep recursive walks over syntax trees and expressions far from
// overflowing the stack.
const (
	maxParens = 3000    // nested parentheses, CASEs and signs
	maxChain  = 200_000 // operators around one operand, as in 1+1+1+...
)

// guard returns error 1436 for statements nested too deeply, before the parser reads them.
func guard(text string, mode sqlmode.Mode) error {
	if len(text) < maxParens {
		return nil
	}
	g := guardState{lexer: lexer{text: text, mode: mode}}
	for {
		t := g.next()
		if t.kind == tokEnd {
			return nil
		}
		if err := g.step(t); err != nil {
			return err
		}
	}
}

// hasFold reports whether text contains word, which is given in lower case, ignoring case.
func hasFold(text, word string) bool {
	for i := 0; i+len(word) <= len(text); i++ {
		if text[i]|0x20 == word[0] && strings.EqualFold(text[i:i+len(word)], word) {
			return true
		}
	}
	return false
}

type guardState struct {
	lexer
	opens       []int // by open parenthesis: the number of operators in it so far
	ops         int   // operators in the innermost parenthesis since its last comma
	under       int   // operators in the enclosing parentheses
	unary, deep int   // consecutive signs; open CASEs
}

func (g *guardState) step(t token) error {
	switch {
	case t.kind == tokOperator:
		g.operator(t)
	case t.kind == tokWord:
		g.word(t)
	default:
		g.unary = 0
	}
	if len(g.opens)+g.unary+g.deep > maxParens || g.ops+g.under > maxChain {
		return sqlerr.New(sqlerr.StackOverrun, "Thread stack overrun: the statement nests expressions too deeply").At(t.start).
			WithHint("At most %d levels of parentheses are possible; write long lists with IN or join a table.", maxParens)
	}
	return nil
}

func (g *guardState) operator(t token) {
	switch g.text[t.start] {
	case '(':
		g.opens = append(g.opens, g.ops)
		g.under += g.ops
		g.ops = 0
	case ')':
		if n := len(g.opens); n > 0 {
			g.ops = g.opens[n-1]
			g.under -= g.ops
			g.opens = g.opens[:n-1]
		}
		g.unary = 0
	case ',', ';':
		g.ops, g.unary = 0, 0
	case '-', '+', '~', '!':
		g.ops++
		g.unary++
	default:
		g.ops++
	}
}

func (g *guardState) word(t token) {
	switch {
	case g.is(t, "NOT"), g.is(t, "BINARY"):
		g.ops++
		g.unary++
		return
	case g.is(t, "CASE"):
		g.deep++
	case g.is(t, "END"):
		g.deep = max(g.deep-1, 0)
	case g.is(t, "AND"), g.is(t, "OR"), g.is(t, "XOR"), g.is(t, "DIV"), g.is(t, "MOD"), g.is(t, "JOIN"), g.is(t, "COLLATE"):
		g.ops++
	}
	g.unary = 0
}
