package main

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// known is an intended difference, with its reason.
type known struct {
	name    string
	applies func(text string, ours, theirs answer) bool
}

// knownDifferences are tried in order. They should cover as little as possible: what they cover is
// not checked.
var knownDifferences = []known{
	{"overflow depends on which rows an expression is computed for", func(_ string, ours, theirs answer) bool {
		return ours.code == 1690 || theirs.code == 1690
	}},
	{"MariaDB knows no functional dependencies, and no expressions of GROUP BY inside others", func(_ string, _, theirs answer) bool {
		return theirs.code == 1055
	}},
	{"MariaDB looks into common table expressions that are not used, MySQL does not", func(_ string, _, theirs answer) bool {
		return theirs.code == 1146
	}},
	{"MariaDB takes a subquery with an aggregate inside an aggregate for a mixture", func(_ string, _, theirs answer) bool {
		return theirs.code == 1140 || theirs.code == 1111
	}},
	{"MariaDB loses aggregates that are arguments of a subquery's aggregates, where there is GROUP BY or no row", func(text string, _, theirs answer) bool {
		lost := slices.ContainsFunc(theirs.rows, func(row []string) bool { return slices.Contains(row, "NULL") })
		return ofOuter.MatchString(text) && (lost || strings.Contains(text, " GROUP BY "))
	}},
	{"MariaDB applies OFFSET to the rows before DISTINCT where all are equal", func(text string, ours, theirs answer) bool {
		return len(ours.rows) < len(theirs.rows) && distinctOffset.MatchString(text)
	}},
	{"MariaDB leaves a column that is selected twice in the total of ROLLUP", func(text string, ours, theirs answer) bool {
		return len(ours.rows) == len(theirs.rows) && rollup.MatchString(text)
	}},
	{"MariaDB is not strict in DELETE, and where a change computes a constant or a condition", func(text string, ours, theirs answer) bool {
		return changes.MatchString(text) && strict[ours.code] != strict[theirs.code]
	}},
	{"there are no zero dates: INSERT IGNORE stores NULL for what is no date", func(text string, ours, theirs answer) bool {
		return strings.HasPrefix(text, "INSERT IGNORE") && ours.code == 0 && theirs.code == 0
	}},
	{"MariaDB compares what CHAR(... USING utf8mb4) gives by utf8mb4_general_ci", uses(`(MIN|MAX|GREATEST|LEAST|ORDER BY).*CHAR\(.* USING utf8mb4\)|CHAR\(.* USING utf8mb4\).* ORDER BY`)},
	{"MariaDB takes no subquery in the row on the left of IN", func(_ string, _, theirs answer) bool { return theirs.code == 1235 }},
	{"MariaDB loses the sign of a TIME that a condition chose and a number is added to", uses(`(IF\(|NULLIF\(|CASE ).*\btm\b.* \+ 0\)`)},
	{"MariaDB takes MIN and MAX from an index where a join has no rows", uses(`\bt0 AS .*HAVING \((MIN|MAX)\(x\d+\.id\)`)},
	{"MariaDB has no NULLs for the constants of a derived table that an outer join fills, within windows", uses(`JOIN.*\(x\d+\.c\d+\) OVER|\(x\d+\.c\d+\) OVER.*JOIN`)},
	{"MariaDB's UNIX_TIMESTAMP is NULL before 1970, MySQL's 0", uses(`UNIX_TIMESTAMP\(`)},
	{"MariaDB compares the texts of GREATEST and LEAST as numbers where a number is wanted", uses(`(GREATEST|LEAST)\(.*\) IS (NOT )?(TRUE|FALSE)|ABS\((GREATEST|LEAST)\(|(NOT|AND|OR|XOR|IF\(|WHEN) \(?(GREATEST|LEAST)\(|(GREATEST|LEAST)\(.*\) (AND|OR|XOR|[-+*/%]|DIV) `)},
	{"MariaDB takes JSON_OBJECT and others for NULL where an outer join fills their arguments", uses(`JOIN.*(JSON_OBJECT|JSON_ARRAY|MAKEDATE)\(`)},
	{"MariaDB loses the NULL that a group of NULLs gives to NOT IN and ALL", uses(`(NOT IN|ALL) \(SELECT (MIN|MAX).* GROUP BY`)},
	{"MariaDB's types of YEARWEEK and PERIOD_ADD have room for fewer digits than their values", uses(`(YEARWEEK|PERIOD_ADD)\(.*\) [*/] `)},
	{"MariaDB rounds the quotients that aggregates of GROUP BY take where it has a temporary table, and not where it sorts", uses(`(AVG|SUM|MIN|MAX)\(.*(/|AVG).* GROUP BY `)},
	{"MariaDB's conditionals have the digits of the operand that they choose, ours those of all", uses(`(IF|IFNULL|NULLIF|COALESCE|GREATEST|LEAST)\(.*/|CASE .*/`)},
	{"MySQL shows up to 30 digits after the point, MariaDB up to 38", func(_ string, _, theirs answer) bool {
		return slices.ContainsFunc(theirs.rows, func(row []string) bool { return slices.ContainsFunc(row, manyDecimals.MatchString) })
	}},
	{"MariaDB's products have no digits after the point if all are zeros; a quotient of such a product has fewer digits", func(text string, ours, theirs answer) bool {
		return quotientOfProduct.MatchString(text) && alike(ours, theirs, 1e-7)
	}},
	{"MariaDB takes IS TRUE and IS FALSE within others for conditions that NULLs of an outer join cannot fulfil", func(text string, ours, theirs answer) bool {
		return len(ours.rows) > len(theirs.rows) && outerTruth.MatchString(text)
	}},
	{"MariaDB's temporary tables keep quotients within the digits of their types, and those of unsigned numbers unsigned", func(text string, ours, theirs answer) bool {
		return strings.Contains(text, " / ") && clipped(ours.rows, theirs.rows)
	}},
	{"MariaDB rounds constants next to aggregates before it stores them", func(text string, ours, theirs answer) bool {
		return constantAmong.MatchString(text) && alike(ours, theirs, 1e-2)
	}},
	{"MariaDB sorts by the first 1024 bytes of a text", func(text string, ours, theirs answer) bool {
		return groupConcatOrdered.MatchString(text) && len(ours.rows) == len(theirs.rows) && slices.ContainsFunc(ours.rows, longText)
	}},
}

var (
	ofOuter           = regexp.MustCompile(`\(SELECT (SUM|MAX|COUNT)\(.*\) w\)`)
	constantAmong     = regexp.MustCompile(`(UNION|INTERSECT|EXCEPT|INSERT).* / .*(COUNT|SUM|AVG|MIN|MAX|BIT_[A-Z]+|GROUP_CONCAT|STDDEV_POP|VAR_SAMP)\(`)
	outerTruth        = regexp.MustCompile(`(LEFT|RIGHT) JOIN .* IS (TRUE|FALSE)\)`)
	nines             = regexp.MustCompile(`^-?9+(\.9+)?$`)
	zero              = regexp.MustCompile(`^0(\.0+)?$`)
	manyDecimals      = regexp.MustCompile(`\.\d{31}`)
	quotientOfProduct = regexp.MustCompile(`\*.* / |/.*\*|\*.*AVG|AVG.*\*`)
)

// alike reports whether two answers differ only in the last digits of numbers, by less than a part of
// their size or of 1. Rows are compared in the order of their texts.
func alike(ours, theirs answer, part float64) bool {
	if len(ours.rows) != len(theirs.rows) {
		return false
	}
	a, b := slices.Clone(ours.rows), slices.Clone(theirs.rows)
	slices.SortFunc(a, slices.Compare[[]string])
	slices.SortFunc(b, slices.Compare[[]string])
	for i := range a {
		for c := range a[i] {
			x, errX := strconv.ParseFloat(a[i][c], 64)
			y, errY := strconv.ParseFloat(b[i][c], 64)
			if a[i][c] != b[i][c] && (errX != nil || errY != nil || math.Abs(x-y) > part*max(1, math.Abs(x), math.Abs(y))) {
				return false
			}
		}
	}
	return true
}

// clipped reports whether their rows differ from ours only in the largest numbers of a type, and in zeros
// for negative numbers.
func clipped(ours, theirs [][]string) bool {
	if len(ours) != len(theirs) {
		return false
	}
	for i := range ours {
		for c, x := range ours[i] {
			if y := theirs[i][c]; x != y && !nines.MatchString(y) && !(zero.MatchString(y) && strings.HasPrefix(x, "-")) {
				return false
			}
		}
	}
	return true
}

// sortedBytes is MariaDB's max_sort_length.
const sortedBytes = 1024

// longText reports whether a row has a text that MariaDB may not compare as a whole: its keys take
// three bytes per character.
func longText(row []string) bool {
	return slices.ContainsFunc(row, func(cell string) bool { return len(cell) > sortedBytes/3 })
}

var groupConcatOrdered = regexp.MustCompile(`GROUP_CONCAT\(.*ORDER BY .*\bORDER BY .*LIMIT `)

// strict lists errors that the same expressions raise as warnings in other places.
var strict = map[int]bool{1292: true, 1365: true, 1411: true, 1441: true, 3020: true}

var changes = regexp.MustCompile("^(INSERT|REPLACE|UPDATE|DELETE)")

var rollup = regexp.MustCompile("GROUP BY .* WITH ROLLUP")

var distinctOffset = regexp.MustCompile("DISTINCT .* OFFSET ")

// uses returns a function that reports whether a statement's text matches a pattern.
func uses(pattern string) func(string, answer, answer) bool {
	re := regexp.MustCompile("(?i)" + pattern)
	return func(text string, _, _ answer) bool { return re.MatchString(text) }
}

// isKnown returns the name of the known difference that explains a finding, or "".
func isKnown(text string, ours, theirs answer) string {
	for _, k := range knownDifferences {
		if k.applies(text, ours, theirs) {
			return k.name
		}
	}
	return ""
}
