package clickbench

import "fmt"

// column is a column of the table: its name, its type, and an expression over the ids of a row.
type column struct{ name, kind, value string }

const (
	small    = "SMALLINT"
	whole    = "INTEGER"
	big      = "BIGINT"
	text     = "VARCHAR"
	day      = "DATE"
	datetime = "TIMESTAMP"
)

const (
	never = "0"
	empty = "''"
	began = "TIMESTAMP '2013-07-01 00:00:00' + INTERVAL 1 SECOND * second"
)

// positive returns an expression for a number of 63 bits that depends on an id.
func positive(id string, seed int) string {
	return fmt.Sprintf("(hash(%s * 64 + %d) >> 1)", id, seed)
}

// columns are ClickBench's, in its order.
var columns = []column{
	{"WatchID", big, positive("i", 51)},
	{"JavaEnable", small, rarely(8, 80, "1", never)},
	{"Title", text, rarely(9, 12, empty, title("page", "site"))},
	{"GoodEvent", small, "1"},
	{"EventTime", datetime, began},
	{"EventDate", day, began},
	{"CounterID", whole, fmt.Sprintf("site + %d", soughtCounter-1)},
	{"ClientIP", whole, "(hash(visitor * 4 + " + rarely(10, 15, below(11, 3), "3") + ") % 4294000000)::BIGINT - 2147000000"},
	{"RegionID", whole, rarely(12, 10, skewed(13, 9000, 2), "floor(power(hash(visitor) / 18446744073709551616.0, 3) * 5000)")},
	{"UserID", big, fmt.Sprintf("CASE WHEN visitor = 100 THEN %d ELSE %s END", soughtUser, positive("visitor", 52))},
	{"CounterClass", small, rarely(14, 20, "1", never)},
	{"OS", small, skewed(15, 90, 3)},
	{"UserAgent", small, skewed(16, 80, 2)},
	{"URL", text, url("page", "site")},
	{"Referer", text, "CASE WHEN refer = 0 THEN '' ELSE " + url("refer", "other") + " END"},
	{"IsRefresh", small, rarely(17, 12, "1", never)},
	{"RefererCategoryID", small, skewed(18, 14000, 3)},
	{"RefererRegionID", whole, skewed(19, 6000, 3)},
	{"URLCategoryID", small, "site % 14000"},
	{"URLRegionID", whole, "site % 800"},
	{"ResolutionWidth", small, "[0, 1024, 1280, 1280, 1366, 1366, 1368, 1440, 1600, 1638, 1680, 1750, 1828, 1917, 1920, 1996][1 + (hash(visitor * 64 + 53) % 16)::BIGINT]"},
	{"ResolutionHeight", small, "[0, 768, 768, 800, 900, 1024, 1050, 1080][1 + (hash(visitor * 64 + 54) % 8)::BIGINT]"},
	{"ResolutionDepth", small, "[24, 32, 32, 16][1 + (hash(visitor * 64 + 55) % 4)::BIGINT]"},
	{"FlashMajor", small, skewed(20, 12, 2)},
	{"FlashMinor", small, below(21, 9)},
	{"FlashMinor2", text, rarely(22, 40, skewed(23, 700, 2)+"::VARCHAR || '.00'", empty)},
	{"NetMajor", small, skewed(24, 5, 3)},
	{"NetMinor", small, skewed(25, 6, 3)},
	{"UserAgentMajor", small, "hash(visitor * 64 + 56) % 60"},
	{"UserAgentMinor", text, "(hash(visitor * 64 + 57) % 40)::VARCHAR"},
	{"CookieEnable", small, rarely(26, 2, never, "1")},
	{"JavascriptEnable", small, rarely(27, 3, never, "1")},
	{"IsMobile", small, "(hash(visitor * 64 + 58) % 20 = 0)::INTEGER"},
	{"MobilePhone", small, "CASE WHEN hash(visitor * 64 + 58) % 20 = 0 THEN hash(visitor * 64 + 59) % 70 ELSE 0 END"},
	{"MobilePhoneModel", text, "CASE WHEN hash(visitor * 64 + 58) % 20 = 0 THEN la[1 + (hash(visitor * 64 + 59) % 160)::BIGINT] ELSE '' END"},
	{"Params", text, rarely(28, 6, "'{\"'||"+word("la", "page", 29)+"||'\":'||page||'}'", empty)},
	{"IPNetworkID", whole, "hash(visitor * 64 + 60) % 4000000"},
	{"TraficSourceID", small, "[-1, -1, -1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 6, 7, 8, 9][1 + " + below(29, 16) + "]"},
	{"SearchEngineID", small, "CASE WHEN phrase = 0 THEN 0 ELSE 1 + " + skewed(30, 90, 4) + " END"},
	{"SearchPhrase", text, phrase()},
	{"AdvEngineID", small, rarely(31, 1, "1 + "+skewed(32, 60, 3), never)},
	{"IsArtifical", small, rarely(33, 5, "1", never)},
	{"WindowClientWidth", small, "600 + " + skewed(34, 1400, 2)},
	{"WindowClientHeight", small, "300 + " + skewed(35, 900, 2)},
	{"ClientTimeZone", small, "[60, 120, 135, 180, 240, 300, 360, 420][1 + (hash(visitor * 64 + 61) % 8)::BIGINT]"},
	{"ClientEventTime", datetime, began + " + INTERVAL 1 SECOND * (" + below(36, 90000) + " - 7200)"},
	{"SilverlightVersion1", small, skewed(37, 6, 3)},
	{"SilverlightVersion2", small, skewed(38, 3, 3)},
	{"SilverlightVersion3", whole, skewed(39, 60000, 8)},
	{"SilverlightVersion4", small, never},
	{"PageCharset", text, "['utf-8', 'windows-1251', 'utf-8', 'koi8-r'][1 + site % 4]"},
	{"CodeVersion", whole, "[1, 291, 1601, 2003][1 + " + below(40, 4) + "]"},
	{"IsLink", small, rarely(41, 7, "1", never)},
	{"IsDownload", small, rarely(42, 1, "1", never)},
	{"IsNotBounce", small, rarely(43, 60, "1", never)},
	{"FUniqID", big, rarely(44, 70, positive("visitor", 62), never)},
	{"OriginalURL", text, rarely(45, 45, url("page", "site"), empty)},
	{"HID", whole, below(46, 1<<30)},
	{"IsOldCounter", small, never},
	{"IsEvent", small, rarely(47, 1, "1", never)},
	{"IsParameter", small, rarely(48, 1, "1", never)},
	{"DontCountHits", small, rarely(49, 10, "1", never)},
	{"WithHash", small, rarely(50, 3, "1", never)},
	{"HitColor", text, "['D', 'D', 'D', 'E', '5', 'F', 'D', 'D'][1 + " + below(51, 8) + "]"},
	{"LocalEventTime", datetime, began + " + INTERVAL 1 HOUR * (hash(visitor * 64 + 61) % 8)::INTEGER"},
	{"Age", small, "[0, 0, 0, 16, 22, 26, 31, 55][1 + (hash(visitor * 64 + 1) % 8)::BIGINT]"},
	{"Sex", small, "hash(visitor * 64 + 2) % 3"},
	{"Income", small, "hash(visitor * 64 + 3) % 5"},
	{"Interests", small, "hash(visitor * 64 + 4) % 16000"},
	{"Robotness", small, rarely(52, 3, below(53, 50), never)},
	{"RemoteIP", whole, "(hash(visitor * 4 + 3) % 4294000000)::BIGINT - 2147000000"},
	{"WindowName", whole, rarely(54, 40, below(55, 1<<30), "-1")},
	{"OpenerName", whole, rarely(56, 30, below(57, 1<<30), "-1")},
	{"HistoryLength", small, skewed(58, 50, 3)},
	{"BrowserLanguage", text, "['ru', 'ru', 'uk', 'en', 'S0', 'ru', 'tr', 'be'][1 + (hash(visitor * 64 + 5) % 8)::BIGINT]"},
	{"BrowserCountry", text, "['RU', 'RU', 'UA', 'US', 'h1', 'RU', 'TR', 'BY'][1 + (hash(visitor * 64 + 6) % 8)::BIGINT]"},
	{"SocialNetwork", text, rarely(59, 1, "'vkontakte'", empty)},
	{"SocialAction", text, rarely(59, 1, "'like'", empty)},
	{"HTTPError", small, rarely(60, 1, "404", never)},
	{"SendTiming", whole, skewed(61, 20000, 4)},
	{"DNSTiming", whole, rarely(62, 50, skewed(63, 5000, 6), never)},
	{"ConnectTiming", whole, skewed(64, 9000, 5)},
	{"ResponseStartTiming", whole, skewed(65, 9000, 3)},
	{"ResponseEndTiming", whole, skewed(66, 12000, 3)},
	{"FetchTiming", whole, skewed(67, 30000, 4)},
	{"SocialSourceNetworkID", small, rarely(68, 1, "1 + "+below(69, 9), never)},
	{"SocialSourcePage", text, rarely(68, 1, url("refer", "other"), empty)},
	{"ParamPrice", big, rarely(70, 1, below(71, 1<<40), never)},
	{"ParamOrderID", text, rarely(70, 1, "i::VARCHAR", empty)},
	{"ParamCurrency", text, rarely(72, 1, "'USD'", "'NH'||chr(28)")},
	{"ParamCurrencyID", small, rarely(72, 1, "42", never)},
	{"OpenstatServiceName", text, rarely(73, 1, word("la", "page", 73), empty)},
	{"OpenstatCampaignID", text, rarely(73, 1, below(74, 100000)+"::VARCHAR", empty)},
	{"OpenstatAdID", text, rarely(73, 1, below(75, 100000)+"::VARCHAR", empty)},
	{"OpenstatSourceID", text, rarely(73, 1, word("la", "site", 76), empty)},
	{"UTMSource", text, rarely(77, 3, word("la", "site", 77), empty)},
	{"UTMMedium", text, rarely(77, 3, "'cpc'", empty)},
	{"UTMCampaign", text, rarely(77, 3, word("la", "page", 78), empty)},
	{"UTMContent", text, rarely(77, 2, word("la", "page", 79), empty)},
	{"UTMTerm", text, rarely(77, 1, word("la", "page", 80), empty)},
	{"FromTag", text, rarely(78, 2, word("la", "site", 81), empty)},
	{"HasGCLID", small, rarely(79, 1, "1", never)},
	{"RefererHash", big, fmt.Sprintf("CASE WHEN refer = 1 THEN %d ELSE %s END", soughtReferer, positive("refer", 63))},
	{"URLHash", big, fmt.Sprintf("CASE WHEN page = 1 THEN %d ELSE %s END", soughtURL, positive("page", 63))},
	{"CLID", whole, rarely(80, 1, below(81, 100000), never)},
}
