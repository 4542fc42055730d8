package math

import (
	"math"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/internal/dec128"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

func registerFormat() { kernel.Register(kernel.Def{Name: expr.FuncFormat, Bind: bindFormat}) }

// locale describes how a language writes numbers.
type locale struct{ point, group string }

// locales by lower-case name. MySQL has about a hundred.
var locales = map[string]locale{
	"en_us": {".", ","}, "en_gb": {".", ","}, "ja_jp": {".", ","}, "ko_kr": {".", ","}, "zh_cn": {".", ","}, "zh_tw": {".", ","},
	"de_de": {",", "."}, "de_ch": {".", "'"},
}

// bindFormat binds FORMAT(x, digits[, locale]), which groups the digits before the point.
func bindFormat(c *expr.Call) (kernel.Kernel, error) {
	if kernel.ArgKind(c, 0) == types.KindF64 {
		return formatted(c, func(rt *kernel.Runtime, x float64, digits int64) string {
			r := rounding{float: math.RoundToEven}
			x, _, _ = r.double(rt, x, digits)
			return strconv.FormatFloat(x, 'f', int(digits), 64)
		}), nil
	}
	scale := kernel.ScaleOf(c.Args[0])
	return formatted(c, func(_ *kernel.Runtime, n decimal128.Num, digits int64) string {
		if digits < int64(scale) {
			n = dec128.Down(n, scale-int(digits))
		}
		text := string(types.AppendDecimal(nil, n, min(scale, int(digits))))
		if missing := int(digits) - scale; missing > 0 {
			if scale == 0 {
				text += "."
			}
			text += strings.Repeat("0", missing)
		}
		return text
	}), nil
}

// formatted returns the kernel of a function that formats a number with the given digits after the
// point.
func formatted[T kernel.Value](c *expr.Call, write func(rt *kernel.Runtime, x T, digits int64) string) kernel.Kernel {
	if len(c.Args) == 2 {
		return kernel.TryBinary(func(rt *kernel.Runtime, x T, digits int64) (string, bool, error) {
			return grouped(rt, write(rt, x, min(max(digits, 0), types.MaxScale)), locales["en_us"]), true, nil
		})
	}
	return kernel.TryTernary(func(rt *kernel.Runtime, x T, digits int64, name string) (string, bool, error) {
		l, ok := locales[strings.ToLower(name)]
		if !ok {
			return "", false, sqlerr.Unsupported(rt.Call.Pos, "locale %s", name).
				WithHint("Locales are en_US, en_GB, de_DE, de_CH, ja_JP, ko_KR, zh_CN and zh_TW.")
		}
		return grouped(rt, write(rt, x, min(max(digits, 0), types.MaxScale)), l), true, nil
	})
}

// grouped formats a number such as -1234.5 with the point and the groups of a locale.
func grouped(rt *kernel.Runtime, s string, l locale) string {
	b := rt.Buf[:0]
	whole, frac, _ := strings.Cut(s, ".")
	if strings.HasPrefix(whole, "-") {
		b, whole = append(b, '-'), whole[1:]
	}
	for i := range len(whole) {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b = append(b, l.group...)
		}
		b = append(b, whole[i])
	}
	if frac != "" {
		b = append(append(b, l.point...), frac...)
	}
	rt.Buf = b
	return rt.Text(b)
}
