package main

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"gsql/cmd/gsql/signature"
	"gsql/sql/expr"
)

// keywords are offered in addition to names.
var keywords = strings.Fields(`ALL ANALYZE AND AS ASC AVG BEGIN BETWEEN BY CASE CAST COMMIT COUNT CREATE CROSS DATE
DATETIME DECIMAL DELETE DESC DESCRIBE DISTINCT DOUBLE DROP ELSE END EXCEPT EXISTS EXPLAIN FALSE FROM GROUP GROUP_CONCAT
HAVING IMPORT IN INDEX INFILE INNER INSERT INT INTERSECT INTERVAL INTO IS JOIN LEFT LIKE LIMIT LOAD DATA MAX MIN NATURAL
NOT NULL OFFSET ON OR ORDER OUTFILE PRIMARY KEY REGEXP RIGHT ROLLBACK SELECT SET SHOW STRAIGHT_JOIN SUM SUMMARIZE TABLE TABLES TEXT
THEN TRUE TRUNCATE UNION UNIQUE UPDATE USE USING VALUES VARCHAR VIEW WARNINGS WHEN WHERE WITH`)

// completer offers keywords, databases, tables, their columns, system variables after @@, members
// of a database or table after its name and a dot, dot-commands, and file names within backquotes
// and after dot-commands. After a function and its parenthesis it shows the signature.
type completer struct {
	sh   *shell
	show func(string) // shows a line above the prompt; nil shows nothing
}

// at returns the possible completions of the word before pos, without what has been typed of it, and what has been typed.
func (c *completer) at(statement []rune, pos int) (endings [][]rune, typed []rune) {
	text, whole := string(statement[:pos]), string(statement)
	if i := strings.LastIndexByte(text, '`'); i >= 0 && strings.Count(text, "`")%2 == 1 {
		return complete(text[i+1:], files(text[i+1:]))
	}
	if strings.HasPrefix(text, ".") && !strings.Contains(text, "\n") {
		name, args, typed := strings.Cut(text, " ")
		if !typed {
			return complete(text, dotNames())
		}
		arg := args[strings.LastIndexByte(args, ' ')+1:]
		if cmd := commands[name]; cmd.complete != nil {
			return complete(arg, cmd.complete(c.sh))
		}
		return complete(arg, files(arg))
	}
	if name, called := strings.CutSuffix(text, "("); called && c.show != nil {
		for _, form := range signature.Of(lastWord(name)) {
			c.show(form)
		}
		return nil, nil
	}
	start := len(text) - len(lastWord(text))
	word, before := text[start:], text[:start]
	switch owner, qualified := strings.CutSuffix(before, "."); {
	case strings.HasSuffix(before, "@@"):
		return complete(word, c.sh.column("SELECT variable_name FROM performance_schema.session_variables"))
	case qualified:
		if members := c.sh.columns(whole, lastWord(owner)); len(members) > 0 {
			return complete(word, members)
		}
		if members := c.sh.members(lastWord(owner)); len(members) > 0 {
			return complete(word, members)
		}
	}
	if word == "" {
		return nil, nil
	}
	return complete(word, c.words(whole, word))
}

// complete returns the rest of each candidate that begins with word, ignoring case.
func complete(word string, candidates []string) (endings [][]rune, typed []rune) {
	for _, cand := range candidates {
		if len(cand) > len(word) && strings.EqualFold(cand[:len(word)], word) {
			endings = append(endings, []rune(cand[len(word):]))
		}
	}
	return endings, []rune(word)
}

// words returns keywords and functions in the case in which word is typed, and names.
func (c *completer) words(statement, word string) []string {
	lower := strings.ToLower(word) == word
	var out []string
	for _, k := range keywords {
		if lower {
			k = strings.ToLower(k)
		}
		out = append(out, k)
	}
	for _, f := range expr.Functions() {
		if !lower {
			f = strings.ToUpper(f)
		}
		out = append(out, f+"(")
	}
	out = append(out, c.sh.fileColumns(statement)...)
	out = append(out, c.sh.names()...)
	slices.Sort(out)
	return slices.Compact(out)
}

func files(prefix string) []string {
	matches, err := filepath.Glob(globEscape(prefix) + "*")
	if err != nil {
		return nil
	}
	return matches
}

func globEscape(s string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(s)
}

// lastWord returns the name that text ends with.
func lastWord(text string) string {
	return text[strings.LastIndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })+1:]
}

// names returns the tables and views of the current database, their columns, and the
// databases.
func (sh *shell) names() []string {
	return sh.column(`SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()
		UNION SELECT column_name FROM information_schema.columns WHERE table_schema = DATABASE()
		UNION SELECT schema_name FROM information_schema.schemata`)
}

// members returns the tables of a database of this name and the columns of a table.
func (sh *shell) members(owner string) []string {
	owner = literal(owner)
	return sh.column(`SELECT table_name FROM information_schema.tables WHERE LOWER(table_schema) = LOWER(` + owner + `)
		UNION SELECT column_name FROM information_schema.columns WHERE table_schema = DATABASE() AND LOWER(table_name) = LOWER(` + owner + ")")
}

// column runs a statement in a session of its own and returns the first column as text.
func (sh *shell) column(sql string) []string {
	s := sh.db.NewSession()
	defer s.Close()
	rows, err := s.Query(context.Background(), "USE "+name(sh.s.Database())+"; "+sql)
	if err != nil {
		return nil
	}
	if rows, err = rows.NextResult(context.Background()); err != nil || rows == nil {
		return nil
	}
	defer rows.Close()
	var out []string
	for {
		b, err := rows.NextBatch()
		if err != nil || b == nil {
			return out
		}
		for i := range b.N {
			v, slot := b.Cols[0].Slot(i)
			if slot >= 0 {
				out = append(out, v.Str[slot])
			}
		}
	}
}

// The following functions complete the arguments of commands.

func nothing(*shell) []string { return []string{} }

func onOff(*shell) []string { return []string{"off", "on"} }

func tableNames(sh *shell) []string { return sh.column("SHOW TABLES") }

func oneOf(values ...string) func(*shell) []string {
	return func(*shell) []string { return values }
}
