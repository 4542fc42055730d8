package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gsql/cmd/gsql/wrap"
	"gsql/internal/render"
	"gsql/internal/render/plot"
)

func toggle(field func(*shell) *bool) func(*shell, []string) error {
	return func(sh *shell, args []string) error {
		if len(args) != 1 || args[0] != "on" && args[0] != "off" {
			return fmt.Errorf("takes on or off")
		}
		*field(sh) = args[0] == "on"
		return nil
	}
}

func dotMode(sh *shell, args []string) error {
	if len(args) == 0 {
		fmt.Fprintln(sh.out, wrap.For(sh.stdout, fmt.Sprintf("%s (modes: %s)", sh.mode, strings.Join(render.Modes, ", "))))
		return nil
	}
	if !render.Valid(args[0]) {
		return fmt.Errorf("unknown mode %q: one of %s", args[0], strings.Join(render.Modes, ", "))
	}
	if len(args) > 2 || len(args) == 2 && args[0] != "insert" {
		return fmt.Errorf("takes a mode, and the name of a table after insert")
	}
	sh.mode, sh.table = args[0], strings.Join(args[1:], "")
	return nil
}

func dotNullValue(sh *shell, args []string) error {
	text := strings.Join(args, " ")
	sh.null = &text
	return nil
}

func dotWidth(sh *shell, args []string) error {
	widths := make([]int, len(args))
	for i, a := range args {
		n, err := strconv.Atoi(a)
		if err != nil || n < 0 {
			return fmt.Errorf("%q is not a width", a)
		}
		widths[i] = n
	}
	sh.widths = widths
	return nil
}

func dotMaxRows(sh *shell, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("takes a number of rows")
	}
	n, err := strconv.Atoi(args[0])
	if err != nil || n < 0 {
		return fmt.Errorf("%q is not a number of rows", args[0])
	}
	sh.maxRows = n
	return nil
}

func dotDevice(sh *shell, args []string) error {
	if len(args) == 0 {
		return sh.sql("SHOW VARIABLES LIKE 'gsql_device'")
	}
	return sh.sql("SET gsql_device = " + literal(args[0]))
}

func dotShow(sh *shell, _ []string) error {
	output := "screen"
	if sh.outFile != nil {
		output = sh.outFile.Name()
	}
	prompt, _ := sh.prompts()
	onOff := map[bool]string{false: "off", true: "on"}
	for _, row := range [][2]any{
		{"bail", onOff[sh.bail]}, {"color", sh.color}, {"database", sh.s.Database()}, {"delimiter", cmp.Or(sh.delimiter, ";")}, {"explain", onOff[sh.explain]}, {"footer", onOff[sh.footer]},
		{"maxrows", sh.maxRows}, {"mode", strings.TrimSpace(sh.mode + " " + sh.table)}, {"nullvalue", sh.nullText()}, {"output", output}, {"pager", cmp.Or(sh.pagerCommand(), "off")},
		{"prompt", strings.TrimRight(prompt, " ")}, {"theme", sh.theme}, {"timer", onOff[sh.timer]}, {"width", strings.Trim(fmt.Sprint(sh.widths), "[]")},
	} {
		fmt.Fprintf(sh.out, "%10s: %v\n", row[0], row[1])
	}
	return nil
}

// dotExpand is the command .expand: it runs the last query again and shows all rows and columns.
func dotExpand(sh *shell, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("takes no arguments")
	}
	if sh.last == "" {
		return fmt.Errorf("no query has been run yet")
	}
	rows, whole := sh.maxRows, sh.whole
	defer func() { sh.maxRows, sh.whole = rows, whole }()
	sh.maxRows, sh.whole = 0, true
	return sh.sql(sh.last)
}

// dotPlot is the command .plot: it runs the last query again and draws its result.
func dotPlot(sh *shell, args []string) error {
	if len(args) > 1 || len(args) == 1 && !slices.Contains(plot.Kinds, args[0]) {
		return fmt.Errorf("takes one of %s, or nothing", strings.Join(plot.Kinds, ", "))
	}
	if sh.last == "" {
		return fmt.Errorf("no query has been run yet")
	}
	mode := sh.mode
	defer func() { sh.mode = mode }()
	sh.mode = strings.Join(append([]string{"plot"}, args...), "-")
	return sh.sql(sh.last)
}
