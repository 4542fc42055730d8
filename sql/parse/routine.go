package parse

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/sqlerr"
	"gsql/sql/sqlmode"
)

// Absent is a statement about something that gsql never has: DROP or SHOW CREATE of a stored routine or an
// event, and SHOW of server features.
type Absent struct {
	ast.StmtNode // nil; embedded to implement ast.StmtNode
	Drop         bool
	IfExists     bool
	What         string // in upper case: PROCEDURE, FUNCTION, EVENT, TRIGGER, ENGINE, REPLICAS, BINARY LOGS
	DB, Name     string
}

// parseAbsent parses such a statement, or returns nil. It returns error 1235 if the statement
// would create a routine or an event.
func parseAbsent(text string, mode sqlmode.Mode) (*Absent, error) {
	l := lexer{text: text, mode: mode}
	switch t := l.next(); {
	case l.is(t, "SHOW"):
		return showAbsent(&l), nil
	case l.is(t, "DROP"):
		return dropRoutine(&l), nil
	case !l.is(t, "CREATE"):
		return nil, nil
	}
	for range 12 { // after OR REPLACE and DEFINER = ...
		t := l.next()
		if kind := l.oneOf(t, "FUNCTION", "PROCEDURE", "EVENT"); kind != "" {
			return nil, sqlerr.Unsupported(t.start, "CREATE %s", kind)
		}
		if l.is(t, "TABLE") || t.kind == tokEnd {
			break
		}
	}
	return nil, nil
}

func dropRoutine(l *lexer) *Absent {
	a := &Absent{Drop: true, What: l.oneOf(l.next(), "FUNCTION", "PROCEDURE", "EVENT")}
	if a.What == "" {
		return nil
	}
	ahead := *l
	if ahead.is(ahead.next(), "IF") && ahead.is(ahead.next(), "EXISTS") {
		*l, a.IfExists = ahead, true
	}
	return l.named(a)
}

func showAbsent(l *lexer) *Absent {
	switch t := l.next(); {
	case l.is(t, "CREATE"):
		a := &Absent{What: l.oneOf(l.next(), "FUNCTION", "PROCEDURE", "EVENT", "TRIGGER")}
		if a.What == "" {
			return nil
		}
		return l.named(a)
	case l.is(t, "ENGINE"):
		name, ok := l.name(l.next())
		if !ok || l.oneOf(l.next(), "STATUS", "MUTEX", "LOGS") == "" {
			return nil
		}
		return &Absent{What: "ENGINE", Name: name}
	case l.is(t, "REPLICAS"), l.is(t, "SLAVE") && l.is(l.next(), "HOSTS"):
		return &Absent{What: "REPLICAS"}
	case l.is(t, "BINARY") || l.is(t, "MASTER"):
		if !l.is(l.next(), "LOGS") {
			return nil
		}
		return &Absent{What: "BINARY LOGS"}
	}
	return nil
}

// named sets a's name to the name that ends the statement and returns a, or nil if there is none.
func (l *lexer) named(a *Absent) *Absent {
	name, next, ok := l.tableName()
	if !ok || next.kind != tokEnd && !l.isByte(next, ';') {
		return nil
	}
	a.DB, a.Name = name.Schema.O, name.Name.O
	return a
}

// oneOf returns the keyword in a token, in upper case, or "" if it is not in words.
func (l *lexer) oneOf(t token, words ...string) string {
	for _, w := range words {
		if l.is(t, w) {
			return strings.ToUpper(w)
		}
	}
	return ""
}
