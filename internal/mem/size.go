package mem

import (
	"fmt"
	"strconv"
	"strings"
)

// sizeUnits are the suffixes of sizes, longest first so that "kb" wins over "b".
var sizeUnits = []struct {
	suffix string
	factor float64
}{
	{"tb", 1 << 40}, {"gb", 1 << 30}, {"mb", 1 << 20}, {"kb", 1 << 10},
	{"t", 1 << 40}, {"g", 1 << 30}, {"m", 1 << 20}, {"k", 1 << 10}, {"b", 1},
}

// ParseSize parses "512MB", "4 GB", "1.5g" or a plain number of bytes.
func ParseSize(s string) (int64, error) {
	text := strings.ToLower(strings.TrimSpace(s))
	factor := 1.0
	for _, u := range sizeUnits {
		if rest, ok := strings.CutSuffix(text, u.suffix); ok {
			text, factor = strings.TrimSpace(rest), u.factor
			break
		}
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && factor == 1 && n >= 0 {
		return n, nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || !(f >= 0) || f*factor >= 1<<62 {
		return 0, fmt.Errorf("%q is not a size", s)
	}
	return int64(f * factor), nil
}
