// Package wrap breaks the lines of messages between words, as terminals break them within words.
package wrap

import (
	"os"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"
)

// For returns a message with lines that are no longer than the terminal that f is, or as it is if f is no terminal.
func For(f *os.File, message string) string {
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		return message
	}
	return To(width, message)
}

// To returns a message with lines of a width at most, if its words are not longer. Lines that begin with a blank show parts of
// statements and stay as they are.
func To(width int, message string) string {
	var out strings.Builder
	for line := range strings.Lines(message) {
		at := 0
		for i, word := range strings.SplitAfter(line, " ") {
			n := text.StringWidthWithoutEscSequences(strings.TrimRight(word, " \n"))
			if i > 0 && at+n > width && line[0] != ' ' {
				out.WriteByte('\n')
				at = 0
			}
			out.WriteString(word)
			at += text.StringWidthWithoutEscSequences(word)
		}
	}
	return out.String()
}
