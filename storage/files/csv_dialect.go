package files

// dialect says how records and fields are told apart.
type dialect struct {
	delim  string
	quote  byte   // 0: fields are never quoted
	escape byte   // 0: none but doubling the quote; never the quote itself
	lines  string // record terminator; "\n" also takes a \r before it away
	prefix string // what precedes it on a line is skipped
}

func hasAt(buf []byte, i int, s string) bool {
	if s == "" || buf[i] != s[0] {
		return false
	}
	return len(s) == 1 || len(buf)-i >= len(s) && string(buf[i:i+len(s)]) == s
}
