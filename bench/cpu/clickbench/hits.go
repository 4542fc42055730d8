package clickbench

import (
	"fmt"
	"strings"
)

// The values that queries look for. They are those of frequent visitors, pages and referrers.
const (
	soughtUser     = 435090932899640449
	soughtURL      = 2868770270353813622
	soughtReferer  = 3594120000172545465
	soughtCounter  = 62
	countersInAll  = 6500
	wordsInAll     = 2000
	secondsInMonth = 30 * 86400
)

// Hits returns a query in DuckDB's dialect that generates the table with n rows, in the order of
// time.
func Hits(n int) string {
	var cols []string
	for _, c := range columns {
		cols = append(cols, fmt.Sprintf("(%s)::%s AS %s", c.value, c.kind, c.name))
	}
	return fmt.Sprintf("WITH words AS (%s), ids AS (%s), sites AS (%s) SELECT %s FROM sites, words ORDER BY i", words(), ids(n), sites(), strings.Join(cols, ", "))
}

// words returns a query of two lists of words, in Cyrillic and in Latin letters.
func words() string {
	word := func(syllables string) string {
		list := "['" + strings.ReplaceAll(syllables, " ", "', '") + "']"
		at := func(e string) string { return list + "[1 + " + e + " % 24]" }
		return "list(" + at("k") + " || " + at("(k // 24)") + " || CASE WHEN k % 3 > 0 THEN " + at("(k // 7)") + " ELSE '' END || CASE WHEN k % 5 > 2 THEN " + at("(k // 5)") + " ELSE '' END ORDER BY k)"
	}
	return "SELECT " + word("ка но ста ре ти вол про сне мар гор лен на до под ма ши це ру бал фи яр ко ве ту") + " AS ru, " +
		word("ka no sta re ti vol pro sne mar gor len na do pod ma shi ce ru bal fi yar ko ve tu") + " AS la FROM range(" + fmt.Sprint(wordsInAll) + ") w(k)"
}

// ids returns a query of the numbers that the columns are computed from: user, page, referrer,
// search phrase (0 for none) and second of each row.
func ids(n int) string {
	return fmt.Sprintf("SELECT i, %s AS visitor, %s AS page, CASE WHEN %s < 19 THEN 0 ELSE 1 + %s END AS refer, "+
		"CASE WHEN %s < 87 THEN 0 ELSE 1 + %s END AS phrase, i * %d // %d + %s AS second FROM range(%d) t(i)",
		skewed(1, n/5, 2), skewed(2, n*3/10, 4), below(3, 100), skewed(4, n*3/10, 4), below(5, 100), skewed(6, n/10, 2), secondsInMonth, n, below(7, 1800), n)
}

// sites returns a query that adds the sites of page and referrer, which are the counters too: a
// page belongs to one site.
func sites() string {
	site := func(id string) string {
		u := "(hash(" + id + " * 8 + 3) / 18446744073709551616.0)"
		return fmt.Sprintf("CASE WHEN %[1]s = 1 THEN 1 ELSE floor(%[2]s * %[2]s * %[2]s * %[2]s * %[3]d)::BIGINT END", id, u, countersInAll)
	}
	return "SELECT *, " + site("page") + " AS site, " + site("refer + 5") + " AS other FROM ids"
}

// below returns an expression for an integer below n, evenly distributed, that depends on a seed
// and the row number i.
func below(seed, n int) string { return fmt.Sprintf("(hash(i * 256 + %d) %% %d)::BIGINT", seed, n) }

// skewed returns an expression for an integer below n whose low values are frequent: it is n times
// the given power of an evenly distributed number.
func skewed(seed, n, power int) string {
	u := fmt.Sprintf("(hash(i * 256 + %d) / 18446744073709551616.0)", seed)
	return "floor(" + strings.Repeat(u+" * ", power) + fmt.Sprint(n) + ")::BIGINT"
}

// rarely returns an expression that is usual, and in the given percentage of rows other.
func rarely(seed, percent int, other, usual string) string {
	return fmt.Sprintf("CASE WHEN %s < %d THEN %s ELSE %s END", below(seed, 100), percent, other, usual)
}

// word returns an expression for a word that depends on a seed and an id.
func word(list, id string, seed int) string {
	return fmt.Sprintf("%s[1 + (hash(%s * 64 + %d) %% %d)::BIGINT]", list, id, seed, wordsInAll)
}

// url returns an expression for the address of a page.
func url(id, site string) string {
	h := func(seed int) string { return fmt.Sprintf("hash(%s * 64 + %d)", id, seed) }
	return "CASE WHEN " + h(1) + " % 8 = 0 THEN 'https://' ELSE 'http://' END || CASE WHEN " + site + " % 3 = 0 THEN 'www.' ELSE '' END || " +
		word("la", site, 2) + " || " + site + " || '.' || CASE WHEN " + site + " % 4 = 0 THEN 'com' ELSE 'ru' END || '/' || " + word("la", id, 3) + " || '/' || " +
		"CASE WHEN " + h(4) + " % 3 > 0 THEN " + word("la", id, 5) + " || '-' || " + word("la", id, 6) + " || '/' ELSE '' END || " +
		"CASE WHEN " + h(7) + " % 1000 = 0 THEN 'www.google.ru/' WHEN " + h(7) + " % 1000 < 3 THEN 'google/' ELSE '' END || " +
		"CASE WHEN " + h(8) + " % 4 > 0 THEN '?' || " + word("la", id, 9) + " || '=' || " + id + " || '&' || " + word("la", id, 10) + " || '=' || " + h(11) + " % 1000000 ELSE " + id + " || '.html' END"
}

// title returns an expression for the title of a page: two pages each have the same one.
func title(page, site string) string {
	id := "(" + page + " // 2)"
	h := func(seed int) string { return fmt.Sprintf("hash(%s * 64 + %d)", id, seed) }
	return word("ru", id, 21) + " || ' ' || " + word("ru", id, 22) + " || ' ' || " + word("ru", id, 23) + " || ' ' || " +
		"CASE WHEN " + h(24) + " % 3 > 0 THEN " + word("ru", id, 25) + " || ', ' || " + word("ru", id, 26) + " || ' ' || " + word("ru", id, 27) + " ELSE '' END || " +
		"CASE WHEN " + h(28) + " % 200 = 0 THEN ' Google' ELSE '' END || ' - ' || " + word("la", site, 2)
}

// phrase returns an expression for a search phrase of one to four words, empty for id 0.
func phrase() string {
	return "CASE WHEN phrase = 0 THEN '' ELSE " + word("ru", "phrase", 41) + " || ' ' || " + word("ru", "phrase", 42) +
		" || CASE WHEN hash(phrase) % 3 = 0 THEN ' ' || " + word("ru", "phrase", 43) + " || ' ' || " + word("la", "phrase", 44) + " ELSE ' ' || phrase END END"
}
