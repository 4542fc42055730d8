package clickbench

import (
	"fmt"
	"regexp"
	"strings"
)

// Query is one of the 43 queries. {hits} stands for the table.
type Query struct {
	Name   string
	SQL    string
	DuckDB string // in DuckDB's dialect
	// Check and CheckDuckDB are the same with an order that leaves no ties at a LIMIT.
	Check, CheckDuckDB string
}

// Queries returns the queries for a table of n rows. ClickBench's table has 10⁸: thresholds and
// offsets are its own in proportion to the rows.
func Queries(n int) []Query {
	thresholds := strings.NewReplacer("100000", fmt.Sprint(n/1000), "OFFSET 10000", fmt.Sprint("OFFSET ", n/10_000),
		"OFFSET 1000", fmt.Sprint("OFFSET ", n/100_000), "OFFSET 100", fmt.Sprint("OFFSET ", n/1_000_000))
	var out []Query
	for i, s := range statements {
		sql := thresholds.Replace(s)
		q := Query{Name: fmt.Sprintf("q%02d", i+1)}
		q.SQL, q.Check = ties.ReplaceAllString(sql, ""), ties.ReplaceAllString(sql, "$1")
		q.DuckDB, q.CheckDuckDB = toDuckDB.Replace(q.SQL), toDuckDB.Replace(q.Check)
		out = append(out, q)
	}
	return out
}

// ties matches the parts of statements that are only for checks.
var ties = regexp.MustCompile(`~([^~]*)~`)

// toDuckDB replaces what DuckDB writes otherwise.
var toDuckDB = strings.NewReplacer("LENGTH(", "strlen(", `www\\.`, `www\.`, `'$1'`, `'\1'`,
	"DATE_FORMAT(EventTime, '%Y-%m-%d %H:%i:00') AS M,", "DATE_TRUNC('minute', EventTime) AS M,",
	"SELECT M, PageViews", "SELECT strftime(M, '%Y-%m-%d %H:%M:%S') AS M, PageViews")

// month is the filter of the last queries, which are those of one site's reports.
const month = "CounterID = 62 AND EventDate >= '2013-07-01' AND EventDate <= '2013-07-31'"

// statements are the queries in ClickBench's order.
var statements = []string{
	"SELECT COUNT(*) FROM {hits}",
	"SELECT COUNT(*) FROM {hits} WHERE AdvEngineID <> 0",
	"SELECT SUM(AdvEngineID), COUNT(*), AVG(ResolutionWidth) FROM {hits}",
	"SELECT AVG(UserID) FROM {hits}",
	"SELECT COUNT(DISTINCT UserID) FROM {hits}",
	"SELECT COUNT(DISTINCT SearchPhrase) FROM {hits}",
	"SELECT MIN(EventDate), MAX(EventDate) FROM {hits}",
	"SELECT AdvEngineID, COUNT(*) FROM {hits} WHERE AdvEngineID <> 0 GROUP BY AdvEngineID ORDER BY COUNT(*) DESC",
	"SELECT RegionID, COUNT(DISTINCT UserID) AS u FROM {hits} GROUP BY RegionID ORDER BY u DESC~, RegionID~ LIMIT 10",
	"SELECT RegionID, SUM(AdvEngineID), COUNT(*) AS c, AVG(ResolutionWidth), COUNT(DISTINCT UserID) FROM {hits} GROUP BY RegionID ORDER BY c DESC~, RegionID~ LIMIT 10",
	"SELECT MobilePhoneModel, COUNT(DISTINCT UserID) AS u FROM {hits} WHERE MobilePhoneModel <> '' GROUP BY MobilePhoneModel ORDER BY u DESC~, MobilePhoneModel~ LIMIT 10",
	"SELECT MobilePhone, MobilePhoneModel, COUNT(DISTINCT UserID) AS u FROM {hits} WHERE MobilePhoneModel <> '' GROUP BY MobilePhone, MobilePhoneModel ORDER BY u DESC~, MobilePhone, MobilePhoneModel~ LIMIT 10",
	"SELECT SearchPhrase, COUNT(*) AS c FROM {hits} WHERE SearchPhrase <> '' GROUP BY SearchPhrase ORDER BY c DESC~, SearchPhrase~ LIMIT 10",
	"SELECT SearchPhrase, COUNT(DISTINCT UserID) AS u FROM {hits} WHERE SearchPhrase <> '' GROUP BY SearchPhrase ORDER BY u DESC~, SearchPhrase~ LIMIT 10",
	"SELECT SearchEngineID, SearchPhrase, COUNT(*) AS c FROM {hits} WHERE SearchPhrase <> '' GROUP BY SearchEngineID, SearchPhrase ORDER BY c DESC~, SearchEngineID, SearchPhrase~ LIMIT 10",
	"SELECT UserID, COUNT(*) FROM {hits} GROUP BY UserID ORDER BY COUNT(*) DESC~, UserID~ LIMIT 10",
	"SELECT UserID, SearchPhrase, COUNT(*) FROM {hits} GROUP BY UserID, SearchPhrase ORDER BY COUNT(*) DESC~, UserID, SearchPhrase~ LIMIT 10",
	"SELECT UserID, SearchPhrase, COUNT(*) FROM {hits} GROUP BY UserID, SearchPhrase~ ORDER BY COUNT(*) DESC, UserID, SearchPhrase~ LIMIT 10",
	"SELECT UserID, EXTRACT(MINUTE FROM EventTime) AS m, SearchPhrase, COUNT(*) FROM {hits} GROUP BY UserID, m, SearchPhrase ORDER BY COUNT(*) DESC~, UserID, m, SearchPhrase~ LIMIT 10",
	"SELECT UserID FROM {hits} WHERE UserID = 435090932899640449",
	"SELECT COUNT(*) FROM {hits} WHERE URL LIKE '%google%'",
	"SELECT SearchPhrase, MIN(URL), COUNT(*) AS c FROM {hits} WHERE URL LIKE '%google%' AND SearchPhrase <> '' GROUP BY SearchPhrase ORDER BY c DESC~, SearchPhrase~ LIMIT 10",
	"SELECT SearchPhrase, MIN(URL), MIN(Title), COUNT(*) AS c, COUNT(DISTINCT UserID) FROM {hits} WHERE Title LIKE '%Google%' AND URL NOT LIKE '%.google.%' AND SearchPhrase <> '' " +
		"GROUP BY SearchPhrase ORDER BY c DESC~, SearchPhrase~ LIMIT 10",
	"SELECT * FROM {hits} WHERE URL LIKE '%google%' ORDER BY EventTime~, WatchID~ LIMIT 10",
	"SELECT SearchPhrase FROM {hits} WHERE SearchPhrase <> '' ORDER BY EventTime~, SearchPhrase~ LIMIT 10",
	"SELECT SearchPhrase FROM {hits} WHERE SearchPhrase <> '' ORDER BY SearchPhrase LIMIT 10",
	"SELECT SearchPhrase FROM {hits} WHERE SearchPhrase <> '' ORDER BY EventTime, SearchPhrase LIMIT 10",
	"SELECT CounterID, AVG(LENGTH(URL)) AS l, COUNT(*) AS c FROM {hits} WHERE URL <> '' GROUP BY CounterID HAVING COUNT(*) > 100000 ORDER BY l DESC~, CounterID~ LIMIT 25",
	`SELECT REGEXP_REPLACE(Referer, '^https?://(?:www\\.)?([^/]+)/.*$', '$1') AS k, AVG(LENGTH(Referer)) AS l, COUNT(*) AS c, MIN(Referer) FROM {hits} WHERE Referer <> '' ` +
		"GROUP BY k HAVING COUNT(*) > 100000 ORDER BY l DESC~, k~ LIMIT 25",
	"SELECT " + sums() + " FROM {hits}",
	"SELECT SearchEngineID, ClientIP, COUNT(*) AS c, SUM(IsRefresh), AVG(ResolutionWidth) FROM {hits} WHERE SearchPhrase <> '' GROUP BY SearchEngineID, ClientIP ORDER BY c DESC~, SearchEngineID, ClientIP~ LIMIT 10",
	"SELECT WatchID, ClientIP, COUNT(*) AS c, SUM(IsRefresh), AVG(ResolutionWidth) FROM {hits} WHERE SearchPhrase <> '' GROUP BY WatchID, ClientIP ORDER BY c DESC~, WatchID, ClientIP~ LIMIT 10",
	"SELECT WatchID, ClientIP, COUNT(*) AS c, SUM(IsRefresh), AVG(ResolutionWidth) FROM {hits} GROUP BY WatchID, ClientIP ORDER BY c DESC~, WatchID, ClientIP~ LIMIT 10",
	"SELECT URL, COUNT(*) AS c FROM {hits} GROUP BY URL ORDER BY c DESC~, URL~ LIMIT 10",
	"SELECT 1, URL, COUNT(*) AS c FROM {hits} GROUP BY 1, URL ORDER BY c DESC~, URL~ LIMIT 10",
	"SELECT ClientIP, ClientIP - 1, ClientIP - 2, ClientIP - 3, COUNT(*) AS c FROM {hits} GROUP BY ClientIP, ClientIP - 1, ClientIP - 2, ClientIP - 3 ORDER BY c DESC~, ClientIP~ LIMIT 10",
	"SELECT URL, COUNT(*) AS PageViews FROM {hits} WHERE " + month + " AND DontCountHits = 0 AND IsRefresh = 0 AND URL <> '' GROUP BY URL ORDER BY PageViews DESC~, URL~ LIMIT 10",
	"SELECT Title, COUNT(*) AS PageViews FROM {hits} WHERE " + month + " AND DontCountHits = 0 AND IsRefresh = 0 AND Title <> '' GROUP BY Title ORDER BY PageViews DESC~, Title~ LIMIT 10",
	"SELECT URL, COUNT(*) AS PageViews FROM {hits} WHERE " + month + " AND IsRefresh = 0 AND IsLink <> 0 AND IsDownload = 0 GROUP BY URL ORDER BY PageViews DESC~, URL~ LIMIT 10 OFFSET 1000",
	"SELECT TraficSourceID, SearchEngineID, AdvEngineID, CASE WHEN SearchEngineID = 0 AND AdvEngineID = 0 THEN Referer ELSE '' END AS Src, URL AS Dst, COUNT(*) AS PageViews FROM {hits} WHERE " + month +
		" AND IsRefresh = 0 GROUP BY TraficSourceID, SearchEngineID, AdvEngineID, Src, Dst ORDER BY PageViews DESC~, TraficSourceID, SearchEngineID, AdvEngineID, Src, Dst~ LIMIT 10 OFFSET 1000",
	"SELECT URLHash, EventDate, COUNT(*) AS PageViews FROM {hits} WHERE " + month + " AND IsRefresh = 0 AND TraficSourceID IN (-1, 6) AND RefererHash = 3594120000172545465 " +
		"GROUP BY URLHash, EventDate ORDER BY PageViews DESC~, URLHash, EventDate~ LIMIT 10 OFFSET 100",
	"SELECT WindowClientWidth, WindowClientHeight, COUNT(*) AS PageViews FROM {hits} WHERE " + month + " AND IsRefresh = 0 AND DontCountHits = 0 AND URLHash = 2868770270353813622 " +
		"GROUP BY WindowClientWidth, WindowClientHeight ORDER BY PageViews DESC~, WindowClientWidth, WindowClientHeight~ LIMIT 10 OFFSET 10000",
	"SELECT M, PageViews FROM (SELECT DATE_FORMAT(EventTime, '%Y-%m-%d %H:%i:00') AS M, COUNT(*) AS PageViews FROM {hits} WHERE CounterID = 62 AND EventDate >= '2013-07-14' AND EventDate <= '2013-07-15' " +
		"AND IsRefresh = 0 AND DontCountHits = 0 GROUP BY M ORDER BY M LIMIT 10 OFFSET 1000) minutes",
}

// sums returns 90 sums of the same column, each with another constant added.
func sums() string {
	out := "SUM(ResolutionWidth)"
	for i := 1; i < 90; i++ {
		out += fmt.Sprintf(", SUM(ResolutionWidth + %d)", i)
	}
	return out
}

// Load returns a statement that creates a table from the columns of a file that the queries read,
// or from all of them if a query reads all.
func Load(table, file, sql string) string {
	var names []string
	for _, c := range columns {
		if regexp.MustCompile(`\b` + c.name + `\b`).MatchString(sql) {
			names = append(names, c.name)
		}
	}
	if len(names) == 0 {
		names = []string{columns[0].name}
	}
	list := strings.Join(names, ", ")
	if strings.Contains(sql, "SELECT *") {
		list = "*"
	}
	return fmt.Sprintf("CREATE TABLE %s AS SELECT %s FROM %s", table, list, file)
}

// Define returns a CREATE TABLE statement of the table with the given key, or without one, in
// MySQL's dialect or in DuckDB's.
func Define(table, key string, duckdb bool) string {
	var cols []string
	for _, c := range columns {
		kind := c.kind
		if !duckdb {
			kind = strings.NewReplacer("VARCHAR", "TEXT", "TIMESTAMP", "DATETIME").Replace(kind)
		}
		cols = append(cols, c.name+" "+kind+" NOT NULL")
	}
	if key != "" {
		cols = append(cols, "PRIMARY KEY ("+key+")")
	}
	return fmt.Sprintf("CREATE TABLE %s (%s)", table, strings.Join(cols, ", "))
}

// Key lists the columns of ClickBench's primary key.
const Key = "CounterID, EventDate, UserID, EventTime, WatchID"
