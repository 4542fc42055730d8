package json

import "strings"

// costly is the length in bytes from which texts are worth estimating the memory that decoding them
// takes.
const costly = 64 << 10

// Bytes that decoding takes for the parts of a text: slots of arrays, which grow by a quarter at a
// time, values in interfaces, maps of at least eight members, and the sorted names of members when
// the value is written.
const (
	elementCost = 56
	arrayCost   = 104
	objectCost  = 352
	memberCost  = 128
)

// Cost returns how many bytes decoding a text takes at most, or 0 for short texts, where it does not
// matter.
func Cost(text string) (bytes int64) {
	if len(text) < costly {
		return 0
	}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case ',':
			bytes += elementCost
		case '[':
			bytes += arrayCost
		case '{':
			bytes += objectCost
		case ':':
			bytes += memberCost
		case '"':
			end := stringEnd(text, i)
			if strings.IndexByte(text[i:end], '\\') >= 0 { // without, it shares the text's memory
				bytes += 2 * int64(end-i)
			}
			i = end
		}
	}
	return bytes
}

// stringEnd returns the position of the quote that ends the string at byte i, or the text's length.
func stringEnd(text string, i int) int {
	for i++; ; i++ {
		k := strings.IndexByte(text[i:], '"')
		if k < 0 {
			return len(text)
		}
		i += k
		escapes := 0
		for text[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i
		}
	}
}

// Size returns the length of what Append appends.
func Size(v Value) int {
	switch x := v.(type) {
	case nil:
		return len("null")
	case bool:
		if x {
			return len("true")
		}
		return len("false")
	case Number:
		return len(x)
	case string:
		return QuotedLen(x)
	case []any:
		n := 2 + 2*max(len(x)-1, 0)
		for _, e := range x {
			n += Size(e)
		}
		return n
	case map[string]any:
		n := 2 + 2*max(len(x)-1, 0)
		for k, e := range x {
			n += QuotedLen(k) + 2 + Size(e)
		}
		return n
	}
	return 0
}

// PrettySize returns the length of what AppendPretty appends.
func PrettySize(v Value) int { return prettySize(v, 0) }

func prettySize(v Value, level int) int {
	n, line := 2*level+len("[\n]"), 2*(level+1)+len(",\n")
	switch x := v.(type) {
	case []any:
		if len(x) == 0 {
			break
		}
		for _, e := range x {
			n += line + prettySize(e, level+1)
		}
		return n - 1
	case map[string]any:
		if len(x) == 0 {
			break
		}
		for k, e := range x {
			n += line + QuotedLen(k) + 2 + prettySize(e, level+1)
		}
		return n - 1
	}
	return Size(v)
}
