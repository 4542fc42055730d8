package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"gsql/internal/sqlgen"
)

// increments are the values of div_precision_increment that are compared. With 0, MariaDB has negative
// zeros that equal no other zero.
var increments = []int{1, 2, 3, 4, 4, 5, 7, 9, 10, 12}

// side is one of the two engines that are compared.
type side interface {
	exec(text string) answer
	query(text string) answer
}

// comparison runs rounds and collects the differences.
type comparison struct {
	changing bool // statements change tables

	ours   *ourSide
	theirs *theirSide
	tables []*sqlgen.Table
	zone   string // time zone of both sides, once the tables are filled

	onlyQuotients bool // in all rounds
	increment     int  // div_precision_increment of both sides

	queries, failed, timeouts int
	known                     map[string]int
	seen                      map[string]bool // shapes of reported differences
	keep                      int
}

// round fills tables and runs queries over them.
func (c *comparison) round(ctx context.Context, r *rand.Rand, seed uint64, queries int) error {
	c.tables = sqlgen.Tables(r, 0, 1, 6, 20, 40)
	c.zone, c.increment = []string{"+00:00", "+05:30", "-03:00"}[r.IntN(3)], 4
	quotients := c.onlyQuotients || r.IntN(4) == 0
	if quotients {
		sqlgen.AddDecimals(r, c.tables)
	}
	if err := c.fill(c.tables); err != nil {
		return err
	}
	defer func() { c.ours.close() }()
	g := &sqlgen.Gen{R: r, Tables: c.tables, Dialect: sqlgen.Dialect{Windows: true, Rollup: true, MariaDB: true, Recursive: true, Upsert: true, MultiTable: true, Quotients: quotients}}
	for i := 0; i < queries && len(c.seen) < c.keep && ctx.Err() == nil; i++ {
		q := g.Query()
		if quotients && i%10 == 9 {
			if err := c.setIncrement(increments[r.IntN(len(increments))]); err != nil {
				return err
			}
		}
		c.check(q, fmt.Sprintf("seed %d, query %d", seed, i))
	}
	c.changing = true
	defer func() { c.changing = false }()
	for i := 0; i < queries/2 && len(c.seen) < c.keep && ctx.Err() == nil; i++ {
		c.check(sqlgen.Query{Node: g.Change()}, fmt.Sprintf("seed %d, change %d", seed, i))
	}
	return nil
}

// setZone sets the time zone of both sides.
func (c *comparison) setZone(zone string) error {
	for _, s := range []side{c.ours, c.theirs} {
		if a := s.exec("SET time_zone = '" + zone + "'"); a.code != 0 {
			return fmt.Errorf("time zone %s: %s", zone, a.message)
		}
	}
	return nil
}

// setIncrement sets div_precision_increment of both sides.
func (c *comparison) setIncrement(digits int) error {
	c.increment = digits
	for _, s := range []side{c.ours, c.theirs} {
		if a := s.exec(fmt.Sprint("SET div_precision_increment = ", digits)); a.code != 0 {
			return fmt.Errorf("div_precision_increment %d: %s", digits, a.message)
		}
	}
	return nil
}

// run returns the answer of a side: the rows of a query, or the contents of the tables after a
// statement that changes them, which it then rolls back.
func (c *comparison) run(s side, text string) answer {
	if !c.changing {
		return s.query(text)
	}
	s.exec("BEGIN")
	defer s.exec("ROLLBACK")
	a := s.exec(text)
	for _, t := range c.tables {
		content := s.query("SELECT '" + t.Name + "', x.* FROM " + t.Name + " AS x")
		a.rows = append(a.rows, content.rows...)
		a.floats = content.floats
	}
	return a
}

// fill creates the tables on both sides; our side is a new engine.
func (c *comparison) fill(tables []*sqlgen.Table) error {
	if c.ours != nil {
		c.ours.close()
	}
	var err error
	if c.ours, err = open(map[string]string{"sql_mode": modes}); err != nil {
		return err
	}
	if err := c.setZone("+00:00"); err != nil {
		return err
	}
	for _, s := range []string{"DROP DATABASE IF EXISTS d", "CREATE DATABASE d", "USE d"} {
		if a := c.theirs.exec(s); a.code != 0 {
			return fmt.Errorf("%s: %s", s, a.message)
		}
	}
	for _, t := range tables {
		for _, s := range t.Script("") {
			if a := c.theirs.exec(s); a.code != 0 {
				return fmt.Errorf("%.200s: %s", s, a.message)
			}
			if a := c.ours.exec(s); a.code != 0 {
				return fmt.Errorf("gsql: %.200s: %s", s, a.message)
			}
		}
	}
	return errors.Join(c.setZone(c.zone), c.setIncrement(c.increment))
}

// both runs a query on both sides and reports how they differ.
func (c *comparison) both(text string, ordered bool) (ours, theirs answer, how string) {
	ours, theirs = c.run(c.ours, text), c.run(c.theirs, text)
	if how = differs(ours, theirs, ordered); how != "" {
		name := isKnown(text, ours, theirs)
		if name == "" && !c.changing && c.theirs.wavers(text, ordered, theirs) {
			name = "MariaDB's answer depends on its optimisations"
		}
		if name != "" {
			c.known[name]++
			how = ""
		}
	}
	return ours, theirs, how
}

// check runs a query. If the answers differ, it shortens the query and reports the difference.
func (c *comparison) check(q sqlgen.Query, from string) {
	c.queries++
	ours, theirs, how := c.both(q.String(), q.Ordered)
	switch {
	case ours.timeout || theirs.timeout:
		c.timeouts++
		return
	case how == "":
		if ours.code != 0 {
			c.failed++
		}
		return
	}
	known := maps.Clone(c.known) // shortening may produce known differences
	small := sqlgen.Minimize(q.Node, 1500, func(n *sqlgen.Node) bool {
		_, _, now := c.both(n.String(), q.Ordered)
		return now == how
	})
	tables, ours, theirs := c.shrink(small.String(), q.Ordered, how)
	c.known = known
	shape := shapeOf(small.String()) + fmt.Sprint(ours.code, theirs.code)
	if !c.seen[shape] {
		c.seen[shape] = true
		fmt.Printf("== %s: %s\n%s\nSET time_zone = '"+c.zone+"', div_precision_increment = %d;\n%s;\n  gsql: %s\n  MariaDB: %s\n\n", from, how, script(tables), c.increment, small, ours.show(), theirs.show())
	}
	if err := c.fill(c.tables); err != nil {
		fmt.Println("filling the tables again:", err)
	}
}

var constants = regexp.MustCompile(`'[^']*'|\bx?\d+\b|\b[x][0-9]+\.`)

// shapeOf removes constants and aliases, so that similar differences are reported once.
func shapeOf(text string) string { return constants.ReplaceAllString(text, "?") }

// shrink removes rows as long as the answers still differ in the same way. It returns the tables
// that the query uses, with the remaining rows, and the answers.
func (c *comparison) shrink(text string, ordered bool, how string) ([]*sqlgen.Table, answer, answer) {
	var used []*sqlgen.Table
	for _, t := range c.tables {
		if strings.Contains(text+" ", t.Name+" ") {
			used = append(used, &sqlgen.Table{Name: t.Name, Cols: t.Cols, Rows: slices.Clone(t.Rows)})
		}
	}
	still := func() bool {
		if c.fill(used) != nil {
			return false
		}
		_, _, now := c.both(text, ordered)
		return now == how
	}
	all := c.tables
	c.tables = used
	defer func() { c.tables = all }()
	for _, t := range used {
		for step := max(len(t.Rows)/2, 1); step >= 1 && len(t.Rows) > 0; step /= 2 {
			for at := 0; at < len(t.Rows); {
				whole := t.Rows
				t.Rows = slices.Delete(slices.Clone(whole), at, min(at+step, len(whole)))
				if !still() {
					t.Rows = whole
					at += step
				}
			}
		}
	}
	still()
	ours, theirs, _ := c.both(text, ordered)
	return used, ours, theirs
}

func script(tables []*sqlgen.Table) string {
	var out []string
	for _, t := range tables {
		out = append(out, strings.Join(t.Script(""), ";\n")+";")
	}
	return strings.Join(out, "\n")
}

func (c *comparison) summary() {
	fmt.Printf("%d queries, %d of them errors on both sides, %d too slow for one; %d differences\n", c.queries, c.failed, c.timeouts, len(c.seen))
	for _, name := range slices.Sorted(maps.Keys(c.known)) {
		fmt.Printf("%7d known: %s\n", c.known[name], name)
	}
}
