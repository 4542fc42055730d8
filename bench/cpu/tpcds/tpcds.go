// Package tpcds makes tables with the names, columns, cardinalities and key relations of TPC-DS. The
// values are hashes of row numbers, so that they are the same each time; they are not those of the
// specification's generator.
package tpcds

import (
	"fmt"
	"hash/fnv"
	"regexp"
	"strconv"
	"strings"
)

// Table is a table and the query, in DuckDB's dialect, that returns its rows.
type Table struct{ Name, SQL string }

// definition describes the rows of a table. Each line of columns is a name and an expression over
// the columns of from, which are row numbers i and what is computed from them. In expressions,
// R[n] is a random integer below n that depends on the row, T[n] one that depends on the ticket or
// order t, and P['a','b'] one of the values, at random.
type definition struct {
	name    string
	from    string
	columns string
}

// Tables returns the 24 tables for a scale factor.
func Tables(scale float64) []Table {
	sizes := sizesOf(scale)
	var out []Table
	for _, d := range append(dimensions(sizes), facts(sizes)...) {
		out = append(out, Table{d.name, d.query()})
	}
	return out
}

// sizes holds the numbers of rows that depend on the scale factor.
type sizes struct {
	tickets, orders, webOrders  int // of store, catalog and web sales
	customers, addresses, items int
	demographics                int
}

// Sales for each ticket or order, on average.
const (
	perTicket   = 12
	perOrder    = 9
	perWebOrder = 12
)

func sizesOf(scale float64) sizes {
	scaled := func(n float64) int { return max(1, int(n*scale)) }
	return sizes{tickets: scaled(240_034), orders: scaled(160_172), webOrders: scaled(59_949),
		customers: scaled(100_000), addresses: scaled(50_000), items: 2 * scaled(9_000), demographics: 1_920_800}
}

func (d definition) query() string {
	var items []string
	for _, line := range strings.Split(strings.TrimSpace(d.columns), "\n") {
		name, e, _ := strings.Cut(strings.TrimSpace(line), " ")
		items = append(items, random(d.name+"."+name, e)+" AS "+name)
	}
	return "SELECT " + strings.Join(items, ", ") + " FROM " + random(d.name, d.from)
}

var call = regexp.MustCompile(`\b([RT])\[([^\[\]]+)\]|\bP\[([^\[\]]+)\]`)

// random replaces the random values in an expression. Each has a seed of its own.
func random(name, e string) string {
	n := 0
	return call.ReplaceAllStringFunc(e, func(text string) string {
		n++
		h := fnv.New32a()
		h.Write([]byte(name + strconv.Itoa(n)))
		hash := func(key string) string { return fmt.Sprintf("hash(%s * 4294967296 + %d)", key, h.Sum32()) }
		m := call.FindStringSubmatch(text)
		switch m[1] {
		case "R":
			return fmt.Sprintf("(%s %% (%s))::INTEGER", hash("i"), m[2])
		case "T":
			return fmt.Sprintf("(%s %% (%s))::INTEGER", hash("t"), m[2])
		}
		return fmt.Sprintf("[%s][1 + (%s %% %d)::INTEGER]", m[3], hash("i"), strings.Count(m[3], ",")+1)
	})
}

// numbered returns a FROM clause of n rows numbered i.
func numbered(n int) string { return fmt.Sprintf("range(%d) r(i)", n) }
