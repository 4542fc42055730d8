package main

import (
	"regexp"
	"strings"
)

// relation matches a table or file of a statement and its alias, as far as one can tell before the
// statement is complete.
var relation = regexp.MustCompile("(?i)(?:\\b(?:from|join)|,)\\s+(`[^`]+`|[\\p{L}\\d_$.]+)(?:\\s+(?:as\\s+)?([\\p{L}_][\\p{L}\\d_$]*))?")

// notAliases are the words that follow a table without being its alias.
var notAliases = map[string]bool{"where": true, "on": true, "using": true, "join": true, "left": true, "right": true, "inner": true,
	"cross": true, "natural": true, "full": true, "straight_join": true, "group": true, "order": true, "having": true, "limit": true,
	"union": true, "except": true, "intersect": true, "window": true, "set": true, "for": true, "into": true}

// columns returns the columns of the table or file whose alias in a statement is owner.
func (sh *shell) columns(statement, owner string) []string {
	for _, m := range relation.FindAllStringSubmatch(statement, -1) {
		if strings.EqualFold(m[2], owner) && !notAliases[strings.ToLower(m[2])] {
			return sh.columnsOf(m[1])
		}
	}
	return nil
}

// fileColumns returns the columns of the files of a statement, whose names are in backquotes.
func (sh *shell) fileColumns(statement string) (out []string) {
	for _, m := range relation.FindAllStringSubmatch(statement, -1) {
		if strings.ContainsAny(m[1], "./") && m[1][0] == '`' {
			out = append(out, sh.columnsOf(m[1])...)
		}
	}
	return out
}

// columnsOf returns the columns of a table or file.
func (sh *shell) columnsOf(table string) []string { return sh.column("DESCRIBE " + table) }
