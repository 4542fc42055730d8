package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/term"

	"gsql/cmd/gsql/paint"
	"gsql/cmd/gsql/theme"
)

// colors are the values of --color.
var colors = []string{"auto", "always", "never"}

// colored reports whether what goes to a file is coloured, for a value of --color: auto is, if the file is a terminal
// that can show colours and NO_COLOR is not set.
func colored(when string, f *os.File) bool {
	switch when {
	case "always":
		return true
	case "never":
		return false
	}
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd()))
}

// dims reports whether NULLs in results are dim. Of pagers, only less is known to show that.
func (sh *shell) dims() bool {
	if sh.color != "always" && (sh.onceFile != nil || sh.outFile != nil) {
		return false
	}
	if command := sh.pagerCommand(); sh.interactive && command != "" && !strings.HasPrefix(command, "less") {
		return sh.color == "always"
	}
	return colored(sh.color, sh.stdout)
}

// dotColor is the command .color.
func dotColor(sh *shell, args []string) error {
	if len(args) != 1 || !slices.Contains(colors, args[0]) {
		return fmt.Errorf("takes one of %s", strings.Join(colors, ", "))
	}
	sh.color = args[0]
	return nil
}

// dotTheme is the command .theme. Alone, it shows the theme.
func dotTheme(sh *shell, args []string) error {
	switch {
	case len(args) == 0:
		shown := map[bool]string{true: "light", false: "dark"}[sh.light]
		_, err := fmt.Fprintf(sh.out, "%s (%s)\n", sh.theme, shown)
		return err
	case len(args) > 1 || !slices.Contains(theme.Names, args[0]):
		return fmt.Errorf("takes one of %s", strings.Join(theme.Names, ", "))
	}
	sh.theme = args[0]
	sh.light = sh.theme == "light" || sh.theme == theme.Auto && sh.asked
	return nil
}

// painter colours what is typed, as long as colours are on.
type painter struct {
	sh *shell
	*paint.Painter
}

// style calls yield for the parts of a text and their styles.
func (p *painter) style(text []rune, yield func(start, end int, style string)) {
	if !colored(p.sh.color, p.sh.stdout) {
		yield(0, len(text), "")
		return
	}
	p.Light = p.sh.light
	p.Tokens(text, yield)
}
