package parse

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/sqlmode"
)

// Trigger is CREATE TRIGGER or DROP TRIGGER, which the grammar does not support. It records only
// whether the body is empty, because gsql runs no triggers.
type Trigger struct {
	ast.StmtNode // nil; embedded to implement ast.StmtNode
	Drop         bool
	IfExists     bool // DROP ... IF EXISTS
	IfNotExists  bool // CREATE ... IF NOT EXISTS
	DB, Name     string
	TableDB      string // CREATE: the database of Table, "" if unqualified
	Table        string // CREATE: the trigger's table
	Empty        bool   // CREATE: the body is BEGIN END
}

// parseOther parses statements that the parser rejected with err by other means.
func parseOther(text string, mode sqlmode.Mode, err error) (Statement, error) {
	if t := parseTrigger(text, mode); t != nil {
		return Statement{Node: t, Text: text}, nil
	}
	if s := parseShow(text, mode); s != nil {
		return *s, nil
	}
	if m := parseMaintenance(text, mode); m != nil {
		return Statement{Node: m, Text: text}, nil
	}
	if s, ok := explainTree(text, mode); ok {
		return s, nil
	}
	if a, err := parseAbsent(text, mode); a != nil || err != nil {
		return Statement{Node: a, Text: text}, err
	}
	if plain, ok := plainCreateTable(text, mode); ok {
		if node, again := parseTree(plain, mode); again == nil {
			return Statement{Node: node, Text: text}, nil
		}
	}
	if s, ok := parseAlterView(text, mode); ok {
		return s, nil
	}
	if node, ok := defaultExprs(text, mode); ok {
		return Statement{Node: node, Text: text, Params: numberParams(node, text)}, nil
	}
	if plain, ok := plainTransaction(text); ok {
		if node, again := parseTree(plain, mode); again == nil {
			return Statement{Node: node, Text: text}, nil
		}
	}
	node, c, err := parseCut(text, mode, err)
	if err == nil {
		return c.statement(node, text, specialJoins{}, mode)
	}
	return Statement{}, unsupported(text, mode, err)
}

// parseTrigger parses the head of a trigger statement, or returns nil.
func parseTrigger(text string, mode sqlmode.Mode) *Trigger {
	l := lexer{text: text, mode: mode}
	var words []string
	for t := l.next(); t.kind != tokEnd && len(words) < 32; t = l.next() {
		words = append(words, strings.Trim(text[t.start:t.end], "`"))
	}
	i := 0
	accept := func(ws ...string) bool {
		for k, w := range ws {
			if i+k >= len(words) || !strings.EqualFold(words[i+k], w) {
				return false
			}
		}
		i += len(ws)
		return true
	}
	t := &Trigger{Drop: accept("DROP")}
	if !t.Drop && accept("CREATE") && accept("DEFINER", "=") {
		for i < len(words) && !strings.EqualFold(words[i], "TRIGGER") {
			i++
		}
	}
	if i == 0 || !accept("TRIGGER") {
		return nil
	}
	if t.Drop {
		t.IfExists = accept("IF", "EXISTS")
	} else {
		t.IfNotExists = accept("IF", "NOT", "EXISTS")
	}
	name := func() (string, string) {
		switch {
		case i >= len(words):
			return "", ""
		case i+2 < len(words) && words[i+1] == ".":
			i += 3
			return words[i-3], words[i-1]
		}
		i++
		return "", words[i-1]
	}
	t.DB, t.Name = name()
	if t.Drop {
		return whole(t, t.Name != "" && i == len(words))
	}
	timed := accept("BEFORE") || accept("AFTER")
	event := accept("INSERT") || accept("UPDATE") || accept("DELETE")
	on := accept("ON")
	t.TableDB, t.Table = name()
	rows := accept("FOR", "EACH", "ROW")
	if accept("FOLLOWS") || accept("PRECEDES") {
		name()
	}
	t.Empty = accept("BEGIN", "END") && (i == len(words) || words[i] == ";")
	return whole(t, timed && event && on && rows && t.Table != "")
}

func whole(t *Trigger, ok bool) *Trigger {
	if !ok {
		return nil
	}
	return t
}
