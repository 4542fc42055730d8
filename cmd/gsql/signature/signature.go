// Package signature knows how functions are called: as the page of the dialect (docs/sql.md) writes it.
package signature

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"gsql/docs"
)

// code matches what a page shows as code.
var code = regexp.MustCompile("``? ?([^`]+) ?``?")

// call matches the beginning of a call.
var call = regexp.MustCompile(`\b([A-Z][A-Z0-9_]*)\(`)

// forms are the calls on the page, by function.
var forms = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for line := range strings.Lines(docs.SQL) {
		if !strings.HasPrefix(line, "|") {
			continue // functions are listed in tables
		}
		for _, c := range code.FindAllStringSubmatch(strings.ReplaceAll(line, `\|`, "|"), -1) {
			if m := call.FindStringSubmatch(c[1]); m != nil && strings.HasPrefix(c[1], m[1]) && !slices.Contains(all[m[1]], c[1]) {
				all[m[1]] = append(all[m[1]], strings.TrimSpace(c[1]))
			}
		}
	}
	return all
})

// Of returns the forms in which a function can be called, such as ROUND(x[, digits]). It returns nil if there is no such
// function.
func Of(name string) []string { return forms()[strings.ToUpper(name)] }
