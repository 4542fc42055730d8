// Package theme finds out whether the background of a terminal is light or dark.
package theme

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Names are the themes that can be chosen. Auto asks the terminal.
var Names = []string{Auto, "light", "dark"}

// Auto is the theme of the terminal itself.
const Auto = "auto"

// patience is how long a terminal may take to answer.
const patience = 250 * time.Millisecond

// question asks for the background colour (OSC 11), and then for the kind of the terminal (DA1). All terminals answer the
// second question, so that one that does not know the first is not waited for.
const question = "\x1b]11;?\x1b\\\x1b[c"

// Light reports whether the background of the terminal is light: by $COLORFGBG if it is set, otherwise by what the terminal
// answers. An unknown background counts as dark. typed is what the user typed meanwhile. Light must be called before anything
// else reads from the terminal.
func Light(in, out *os.File) (light bool, typed []byte) {
	if light, ok := fromEnvironment(os.Getenv("COLORFGBG")); ok {
		return light, nil
	}
	if name := os.Getenv("TERM"); name == "" || name == "dumb" || name == "linux" {
		return false, nil
	}
	answer := ask(in, out, question, complete, patience)
	return parse(answer)
}

// fromEnvironment reads $COLORFGBG, such as 15;0: colours of the palette, of which the last one is the background.
func fromEnvironment(value string) (light, ok bool) {
	n, err := strconv.Atoi(value[strings.LastIndexByte(value, ';')+1:])
	if err != nil || n < 0 || n > 15 {
		return false, false
	}
	return n == 7 || n > 8, true
}

var (
	color = regexp.MustCompile("\x1b\\]11;rgba?:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})(?:/[0-9a-fA-F]{1,4})?(?:\x07|\x1b\\\\)")
	kind  = regexp.MustCompile("\x1b\\[\\?[0-9;]*c")
)

// complete reports whether the answers to both questions are there.
func complete(answer []byte) bool { return kind.Match(answer) }

// parse reads the answers. What remains of the text was typed.
func parse(answer []byte) (light bool, typed []byte) {
	if m := color.FindSubmatch(answer); m != nil {
		light = 0.299*level(m[1])+0.587*level(m[2])+0.114*level(m[3]) > 0.5
	}
	if typed = kind.ReplaceAll(color.ReplaceAll(answer, nil), nil); len(typed) == 0 {
		typed = nil
	}
	return light, typed
}

// level returns the share of a colour that one to four hexadecimal digits stand for.
func level(digits []byte) float64 {
	n, _ := strconv.ParseUint(string(digits), 16, 16) // the digits were matched
	return float64(n) / float64(uint64(1)<<(4*len(digits))-1)
}
