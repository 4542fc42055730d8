package sqlgen

import (
	"regexp"
	"slices"
	"strings"
)

// odd are pieces at the limits of what parsers, types and functions accept.
var odd = []string{
	"NULL", "0", "-1", "9223372036854775807", "-9223372036854775808", "18446744073709551615", "99999999999999999999999999999999999999", "1e308", "-1e-320", "1e400",
	"0.00000000000000000000000000000000000001", "''", "'0000-00-00'", "'9999-12-31 23:59:59.999999'", "'-838:59:59'", "'\xff\xfe'", "'\x00'", "X'00ff'", "b'1'", "'😀'", "'%'", "'['",
	"REPEAT('a', 1000000000)", "LPAD('', 2000000000, 'ab')", "SPACE(-5)", "CAST('1' AS DECIMAL(65,30))", "CAST(-1 AS UNSIGNED)", "DATE '0001-01-01'", "TIMESTAMP '1000-01-01 00:00:00'",
	"INTERVAL 1000000000 YEAR", "INTERVAL -1 MICROSECOND", "INTERVAL '1:1:1' HOUR_SECOND", "(SELECT 1)", "(SELECT 1 UNION ALL SELECT 2)", "(SELECT NULL WHERE FALSE)", "(1, 2)", "@a", "@@version", "?",
	"SELECT", "FROM", "WHERE", "GROUP BY", "HAVING", "ORDER BY", "LIMIT", "OFFSET", "UNION", "EXCEPT ALL", "INTERSECT", "JOIN", "LEFT JOIN", "NATURAL JOIN", "ON", "USING (id)", "AS", "DISTINCT", "ALL", "ANY",
	"EXISTS", "IN", "NOT", "BETWEEN", "AND", "OR", "XOR", "IS", "LIKE", "ESCAPE", "REGEXP", "CASE", "WHEN", "THEN", "ELSE", "END", "OVER ()", "OVER (ORDER BY 1)", "PARTITION BY", "ROWS", "RANGE", "WITH ROLLUP",
	"WITH RECURSIVE", "LATERAL", "VALUES", "SET", "INSERT", "UPDATE", "DELETE", "IGNORE", "DEFAULT", "CREATE", "TABLE", "(", ")", ",", ";", "=", "<=>", ":=", "->", "->>", "||", "&&", "!", "~", "<<", "/", "%", "DIV", "*", ".", "`", "'", "\"",
	"/*", "*/", "/*!", "--", "#", "COLLATE utf8mb4_bin", "BINARY", "COUNT(*)", "SUM(1)", "GROUP_CONCAT(1)", "ROW_NUMBER() OVER ()", "GROUPING(1)", "JSON_OBJECT('a', 1)", "x1.*", "*", "t2.i", "nope", "id", "i", "s",
}

var tokens = regexp.MustCompile("'[^']*'|`[^`]*`|[\\pL\\pN_@.]+|\\s+|.")

// MutateText changes some tokens of a statement: it removes, repeats, exchanges or replaces them,
// truncates the text or continues it with another one.
func MutateText(r Rand, text, other string) string {
	t := tokens.FindAllString(text, -1)
	for range 1 + r.IntN(3) {
		if len(t) == 0 {
			return text
		}
		i, j := r.IntN(len(t)), r.IntN(len(t))
		switch r.IntN(8) {
		case 0:
			t = slices.Delete(t, i, i+1)
		case 1:
			t = slices.Insert(t, i, t[j])
		case 2:
			t[i], t[j] = t[j], t[i]
		case 3:
			t = slices.Delete(t, min(i, j), max(i, j))
		case 4:
			if o := tokens.FindAllString(other, -1); len(o) > 0 {
				t = append(slices.Clone(t[:i]), o[r.IntN(len(o)):]...)
			}
		case 5:
			t = slices.Insert(t, i, " "+pick(r, odd...)+" ")
		default:
			t[i] = " " + pick(r, odd...) + " "
		}
	}
	return strings.Join(t, "")
}

// MutateTree puts pieces of both trees, or odd ones, in the places of others, removes pieces,
// repeats the kids of lists and nests expressions in themselves.
func MutateTree(r Rand, root, other *Node) *Node {
	root = root.Clone()
	for range 1 + r.IntN(3) {
		var nodes, donors []*Node
		root.walk(func(n *Node) { nodes = append(nodes, n) })
		if len(nodes) == 0 { // the root itself was left out
			return root
		}
		donors = append(donors, nodes...)
		other.walk(func(n *Node) { donors = append(donors, n) })
		n := pick(r, nodes...)
		switch r.IntN(7) {
		case 0:
			*n = *N(n.Kind, pick(r, odd...))
		case 1:
			n.Off = true
		case 2:
			if n.Text == nil && len(n.Kids) > 0 {
				for range 1 << r.IntN(6) {
					n.Kids = append(n.Kids, pick(r, n.Kids...).Clone())
				}
			}
		case 3:
			if n.Kind != "" && len(n.Kids) > 0 { // f(x) becomes f(f(f(x)))
				for range 1 + r.IntN(20) {
					inner := n.Clone()
					n.Kids = slices.Clone(n.Kids)
					n.Kids[0] = inner
				}
			}
		default:
			*n = *pick(r, donors...).Clone()
		}
	}
	return root
}
