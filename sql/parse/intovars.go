package parse

import (
	"strings"

	"gsql/sql/sqlmode"
)

// cutIntoVars blanks the INTO @a, @b of a SELECT, which the grammar does not support, and returns
// the names of the variables in lower case. ok is false if there is none.
func cutIntoVars(text string, mode sqlmode.Mode) (plain string, vars []string, ok bool) {
	toks := tokens(text, mode)
	word := func(i int) string {
		if i >= len(toks) {
			return ""
		}
		return text[toks[i].start:toks[i].end]
	}
	if w := strings.ToUpper(word(0)); w != "SELECT" && w != "WITH" && w != "TABLE" && w != "VALUES" {
		return "", nil, false
	}
	depth := 0
	for i := range toks {
		switch {
		case word(i) == "(":
			depth++
		case word(i) == ")":
			depth--
		case depth == 0 && strings.EqualFold(word(i), "INTO") && strings.HasPrefix(word(i+1), "@"):
			from, j := toks[i].start, i+1
			for {
				name, next := variableName(toks, word, j)
				if name == "" {
					return "", nil, false
				}
				vars = append(vars, strings.ToLower(name))
				if j = next; word(j) != "," {
					break
				}
				j++
			}
			to := toks[j-1].end
			return text[:from] + strings.Repeat(" ", to-from) + text[to:], vars, true
		}
	}
	return "", nil, false
}

// variableName returns @name at token i and the next token, or "" if there is no variable.
func variableName(toks []token, word func(int) string, i int) (name string, next int) {
	at := word(i)
	if len(at) > 1 && at[0] == '@' && at[1] != '@' {
		return identifier(at[1:]), i + 1
	}
	if at != "@" || i+1 >= len(toks) || toks[i+1].start != toks[i].end {
		return "", 0
	}
	return identifier(word(i + 1)), i + 2
}
