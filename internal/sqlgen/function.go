package sqlgen

// function is a form of expression: its kind and those of its arguments.
type function struct {
	yields Kind
	format string
	args   []Kind
}

// functions are forms in addition to those of which most expressions of a kind consist. Some are
// operators whose operands are of other kinds than they require.
var functions = []function{
	{Int, "(0 + BIT_COUNT($))", []Kind{Int}}, {Int, "ORD($)", []Kind{Str}}, {Int, "TO_SECONDS($)", []Kind{DateTime}}, {Int, "UNIX_TIMESTAMP($)", []Kind{DateTime}},
	{Int, "YEARWEEK($, 1)", []Kind{Date}}, {Int, "WEEK($, 0)", []Kind{Date}}, {Int, "WEEK($, 6)", []Kind{Date}}, {Int, "EXTRACT(DAY_HOUR FROM $)", []Kind{DateTime}},
	{Int, "EXTRACT(HOUR_SECOND FROM $)", []Kind{DateTime}}, {Int, "PERIOD_ADD(202403, $)", []Kind{Int}}, {Int, "TIMESTAMPDIFF(MINUTE, $, $)", []Kind{DateTime, DateTime}},
	{Int, "($ + 0)", []Kind{Date}}, {Int, "($ + 0)", []Kind{DateTime}}, {Int, "($ + 0)", []Kind{Time}}, {Int, "CAST($ AS SIGNED)", []Kind{Date}}, {Int, "CAST($ AS SIGNED)", []Kind{Float}},
	{Int, "ROUND($)", []Kind{Dec}}, {Int, "ROUND($, -1)", []Kind{Int}}, {Int, "COALESCE($, $)", []Kind{Int, Bool}}, {Int, "BIT_LENGTH($)", []Kind{Str}},
	{Uint, "($ << 2)", []Kind{Int}}, {Uint, "(~$)", []Kind{Int}}, {Uint, "($ ^ $)", []Kind{Int, Int}}, {Uint, "CRC32($)", []Kind{Str}}, {Uint, "($ >> 1)", []Kind{Int}}, {Uint, "($ DIV 2)", []Kind{Uint}},
	{Dec, "COALESCE($, $)", []Kind{Int, Dec}}, {Dec, "IF($, $, $)", []Kind{Bool, Dec, Int}}, {Dec, "CASE WHEN $ THEN $ ELSE $ END", []Kind{Bool, Int, Dec}}, {Dec, "GREATEST($, $)", []Kind{Int, Dec}},
	{Dec, "CAST($ AS DECIMAL(20,4))", []Kind{DateTime}}, {Dec, "($ * $)", []Kind{Dec, Dec}}, {Dec, "CAST($ AS DECIMAL(10,1))", []Kind{Float}}, {Dec, "($ - $)", []Kind{Uint, Dec}},
	{Float, "($ + $)", []Kind{Str, Int}}, {Float, "($ * 2)", []Kind{Str}}, {Float, "POW($, 2)", []Kind{Int}}, {Float, "EXP($ / 10)", []Kind{Float}}, {Float, "LN($)", []Kind{Float}}, {Float, "COALESCE($, $)", []Kind{Float, Dec}},
	{Float, "(-$)", []Kind{Str}}, {Float, "ABS($)", []Kind{Str}}, {Float, "IF($, $, $)", []Kind{Bool, Float, Int}}, {Float, "ATAN2($, $)", []Kind{Int, Float}}, {Float, "($ % 3)", []Kind{Float}}, {Float, "SIN($)", []Kind{Int}},
	{Str, "HEX($)", []Kind{Int}}, {Str, "BIN($)", []Kind{Int}}, {Str, "OCT($)", []Kind{Int}}, {Str, "CONV($, 10, 36)", []Kind{Int}}, {Str, "FORMAT($, 1)", []Kind{Dec}}, {Str, "MD5($)", []Kind{Str}},
	{Str, "TO_BASE64($)", []Kind{Str}}, {Str, "COALESCE($, $)", []Kind{Int, Str}}, {Str, "COALESCE($, $)", []Kind{Date, Str}},
	{Str, "IF($, $, $)", []Kind{Bool, Dec, Str}}, {Str, "CASE WHEN $ THEN $ ELSE $ END", []Kind{Bool, DateTime, Str}}, {Str, "TIME_FORMAT($, '%H-%i-%s')", []Kind{Time}}, {Str, "CONCAT($, $)", []Kind{DateTime, Time}},
	{Str, "DATE_FORMAT($, '%y %c %d %T %r %f %p')", []Kind{DateTime}}, {Str, "DATE_FORMAT($, '%X %V %w %D %b %h %k %l')", []Kind{DateTime}}, {Str, "CONCAT($, '/', $)", []Kind{Uint, Dec}}, {Str, "SUBSTRING($, $)", []Kind{Str, Int}},
	{Str, "LEFT($, $)", []Kind{Int, Int}}, {Str, "REPLACE($, '1', 'x')", []Kind{Int}}, {Str, "UPPER($)", []Kind{Date}}, {Str, "TRIM(BOTH 'a' FROM $)", []Kind{Str}}, {Str, "CHAR($ USING utf8mb4)", []Kind{Uint}}, {Str, "SOUNDEX($)", []Kind{Str}},
	{Date, "STR_TO_DATE($, '%Y-%m-%d')", []Kind{Str}}, {Date, "MAKEDATE(2024, $)", []Kind{Int}}, {Date, "FROM_DAYS(738000 + $)", []Kind{Int}}, {Date, "GREATEST($, $)", []Kind{Date, Date}},
	{DateTime, "TIMESTAMPADD(HOUR, $, $)", []Kind{Int, DateTime}}, {DateTime, "COALESCE($, $)", []Kind{DateTime, Date}}, {DateTime, "IF($, $, $)", []Kind{Bool, Date, DateTime}}, {DateTime, "($ + INTERVAL '1 2' DAY_HOUR)", []Kind{DateTime}},
	{DateTime, "CASE WHEN $ THEN $ ELSE $ END", []Kind{Bool, DateTime, Date}}, {DateTime, "ADDTIME($, $)", []Kind{DateTime, Time}}, {DateTime, "($ - INTERVAL '1-3' YEAR_MONTH)", []Kind{DateTime}}, {DateTime, "STR_TO_DATE($, '%Y%m%d %H')", []Kind{Str}},
	{Time, "MAKETIME($, 5, 59)", []Kind{Int}}, {Time, "SUBTIME($, '0:10')", []Kind{Time}},
	{Bool, "($ = $)", []Kind{Str, Int}}, {Bool, "($ < $)", []Kind{Str, Dec}}, {Bool, "($ > $)", []Kind{Str, Float}}, {Bool, "($ = '2024-01-31')", []Kind{Date}}, {Bool, "($ < '2024-01-01 12:00:00')", []Kind{DateTime}},
	{Bool, "($ > '12:00')", []Kind{Time}}, {Bool, "($ >= 20240101)", []Kind{Date}}, {Bool, "($ AND $)", []Kind{Str, Int}}, {Bool, "(NOT $)", []Kind{Dec}}, {Bool, "($ OR $)", []Kind{Float, Str}}, {Bool, "($ IN ('1', 2, 2.50))", []Kind{Int}},
	{Bool, "($ IN (1, '2', 'a'))", []Kind{Str}}, {Bool, "($ IS TRUE)", []Kind{Str}}, {Bool, "($ BETWEEN $ AND $)", []Kind{Int, Dec, Float}}, {Bool, "($ <=> $)", []Kind{Dec, Float}}, {Bool, "($ REGEXP '^[a-b]+')", []Kind{Str}}, {Bool, "($ = $)", []Kind{Uint, Int}},
	{Bool, "($ LIKE '1%')", []Kind{Int}}, {Bool, "($ LIKE '%01%')", []Kind{Date}}, {Bool, "($ <> $)", []Kind{DateTime, Date}}, {Bool, "($ IN ($, $))", []Kind{Date, Date, DateTime}}, {Bool, "STRCMP($, $)", []Kind{Str, Int}},
	{Str, "(JSON_UNQUOTE(JSON_EXTRACT(JSON_OBJECT('a', $, 'b', $), '¢.a')) COLLATE utf8mb4_bin)", []Kind{Int, Str}}, {Str, "(JSON_UNQUOTE(JSON_EXTRACT(JSON_OBJECT('a', $, 'b', $), '¢.b')) COLLATE utf8mb4_bin)", []Kind{Int, Str}},
	{Int, "JSON_LENGTH(JSON_ARRAY($, $, $))", []Kind{Int, Str, Dec}}, {Str, "(JSON_QUOTE($) COLLATE utf8mb4_bin)", []Kind{Str}}, {Bool, "JSON_VALID($)", []Kind{Str}}, {Str, "(JSON_VALUE(JSON_OBJECT('k', $), '¢.k') COLLATE utf8mb4_bin)", []Kind{Str}},
	{Str, "(JSON_UNQUOTE(JSON_SEARCH(JSON_ARRAY($, $), 'one', 'a%')) COLLATE utf8mb4_bin)", []Kind{Str, Str}}, {Str, "(JSON_UNQUOTE(JSON_EXTRACT(JSON_SET(JSON_OBJECT('a', $), '¢.b', $), '¢.b')) COLLATE utf8mb4_bin)", []Kind{Int, Str}},
	{Int, "JSON_LENGTH(JSON_MERGE_PATCH(JSON_OBJECT('a', $), JSON_OBJECT('b', $)))", []Kind{Int, Str}}, {Str, "(JSON_UNQUOTE(JSON_EXTRACT(JSON_REMOVE(JSON_ARRAY($, $), '¢[0]'), '¢[0]')) COLLATE utf8mb4_bin)", []Kind{Str, Int}},
	{Int, "JSON_DEPTH(JSON_ARRAY(JSON_OBJECT('k', $)))", []Kind{Str}},
	{Int, "JSON_LENGTH(JSON_KEYS(JSON_OBJECT('a', $, 'b', 1)))", []Kind{Int}},
}

// jsonFunctions are the JSON functions, and a few that servers interpret in different ways.
var jsonFunctions = []function{
	{Int, "JSON_DEPTH(JSON_ARRAY(JSON_OBJECT('k', $)))", []Kind{Date}}, {Str, "JSON_TYPE(JSON_EXTRACT(JSON_ARRAY($, $), '¢[1]'))", []Kind{Int, Dec}},
	{Bool, "JSON_CONTAINS(JSON_ARRAY($, 1, 2), JSON_ARRAY($))", []Kind{Int, Int}}, {Bool, "JSON_CONTAINS_PATH(JSON_OBJECT('a', $), 'one', '¢.a', '¢.b')", []Kind{Int}},
	{Bool, "JSON_OVERLAPS(JSON_ARRAY($), JSON_ARRAY($, 3))", []Kind{Int, Int}},
	{Bool, "JSON_CONTAINS(JSON_ARRAY($, 1, 2), CAST($ AS JSON))", []Kind{Int, Int}}, {Bool, "JSON_VALID($)", []Kind{Str}}, {Str, "CAST(JSON_MERGE_PATCH(JSON_OBJECT('a', $), JSON_OBJECT('a', $)) AS CHAR)", []Kind{Int, Str}},
	{Str, "CAST(JSON_SET(JSON_OBJECT('a', $), '¢.b', $, '¢.a', NULL) AS CHAR)", []Kind{Int, Str}}, {Str, "JSON_UNQUOTE(JSON_SEARCH(JSON_ARRAY($, $), 'one', 'a%'))", []Kind{Str, Str}}, {Str, "CAST(JSON_KEYS(JSON_OBJECT(COALESCE($, ''), 1)) AS CHAR)", []Kind{Str}},
	{Int, "LOCATE($, $, 2)", []Kind{Str, Str}},
	{Str, "ELT($, $, $)", []Kind{Int, Str, Str}},
	{Str, "INSERT($, 2, 1, $)", []Kind{Str, Str}},
	{Date, "DATE($)", []Kind{Str}}, {Time, "CAST($ AS TIME)", []Kind{Str}}, {Str, "CONCAT($, JSON_ARRAY($))", []Kind{Str, Float}},
}

func formsByKind(lists ...[]function) map[Kind][]function {
	m := map[Kind][]function{}
	for _, list := range lists {
		for _, f := range list {
			m[f.yields] = append(m[f.yields], f)
		}
	}
	return m
}

var plainForms, allForms = formsByKind(functions), formsByKind(functions, jsonFunctions)

// other returns an expression of one of the further forms.
func other(g *Gen, kind Kind, sc *scope, depth int) *Node {
	forms := plainForms
	if g.Dialect.JSON {
		forms = allForms
	}
	f := one(g, forms[kind]...)
	var kids []*Node
	for _, k := range f.args {
		kids = append(kids, g.expr(k, sc, depth))
	}
	return N(kind, f.format, kids...)
}
