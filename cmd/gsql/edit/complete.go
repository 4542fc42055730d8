package edit

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// completer implements readline.AutoCompleter. It lists what can follow by itself, since the library takes every text
// for a single line.
type completer struct{ e *Editor }

// Do returns the only completion, or what all completions begin with.
func (c completer) Do(line []rune, pos int) ([][]rune, int) {
	e := c.e
	if start := lineStart(line, pos); start > 0 && strings.Trim(string(line[start:pos]), " \t") == "" {
		return [][]rune{{'\t'}}, 0 // indents
	}
	endings, typed := e.opt.Complete(line, pos)
	switch same := shared(endings); {
	case len(endings) == 0:
		return nil, 0
	case len(same) > 0 || len(endings) == 1:
		return [][]rune{same}, len(typed)
	}
	width, height := e.opt.Size()
	e.Show(list(endings, string(typed), width, max(height/2, 1)))
	return nil, 0
}

// shared returns what all endings begin with.
func shared(endings [][]rune) []rune {
	if len(endings) == 0 {
		return nil
	}
	same := endings[0]
	for _, e := range endings[1:] {
		n := 0
		for n < len(same) && n < len(e) && same[n] == e[n] {
			n++
		}
		same = same[:n]
	}
	return same
}

// list arranges words in columns, in a number of lines at most.
func list(endings [][]rune, typed string, width, lines int) string {
	widest := 0
	for _, e := range endings {
		widest = max(widest, text.StringWidthWithoutEscSequences(typed+string(e)))
	}
	columns := max((width+1)/(widest+2), 1)
	var out strings.Builder
	for i, e := range endings {
		if i/columns == lines {
			fmt.Fprintf(&out, "... and %d more\n", len(endings)-i)
			break
		}
		word := typed + string(e)
		out.WriteString(word)
		if (i+1)%columns == 0 || i == len(endings)-1 {
			out.WriteByte('\n')
		} else {
			out.WriteString(strings.Repeat(" ", widest+2-text.StringWidthWithoutEscSequences(word)))
		}
	}
	return out.String()
}
