package regexp

import (
	"regexp"
	"sync"
	"sync/atomic"

	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
)

func registerRegexp() { kernel.Register(kernel.Def{Name: expr.FuncRegexp, Bind: bindRegexp}) }

// keptPatterns is the maximum number of patterns from rows that stay compiled.
const keptPatterns = 256

// Pattern returns a function that compiles the regular expression in a call's argument; a constant
// one is compiled once. The function is safe for concurrent use and returns error 3685 for an
// invalid expression.
func Pattern(arg expr.Expr) func(rt *kernel.Runtime, pattern string) (*regexp.Regexp, error) {
	if c, ok := arg.(*expr.Const); ok && !c.Value.Null {
		re, err := regexp.Compile(c.Value.Str)
		return func(rt *kernel.Runtime, _ string) (*regexp.Regexp, error) {
			if err != nil {
				return nil, invalidPattern(rt, err)
			}
			return re, nil
		}
	}
	var known sync.Map // pattern text to *regexp.Regexp
	var kept atomic.Int32
	return func(rt *kernel.Runtime, pattern string) (*regexp.Regexp, error) {
		if re, ok := known.Load(pattern); ok {
			return re.(*regexp.Regexp), nil
		}
		re, err := regexp.Compile(pattern)
		if err != nil {
			return nil, invalidPattern(rt, err)
		}
		if kept.Add(1) <= keptPatterns {
			known.Store(pattern, re)
		}
		return re, nil
	}
}

func invalidPattern(rt *kernel.Runtime, err error) error {
	return sqlerr.New(sqlerr.InvalidRegexp, "Invalid regular expression: %v", err).At(rt.Call.Pos).
		WithHint("gsql uses Go's syntax (RE2): no back references and no look-around.")
}

func bindRegexp(c *expr.Call) (kernel.Kernel, error) {
	compiled := Pattern(c.Args[1])
	return kernel.TryBinary(func(rt *kernel.Runtime, s, p string) (int64, bool, error) {
		re, err := compiled(rt, p)
		if err != nil {
			return 0, false, err
		}
		found, err := matches(rt, re, s)
		return kernel.Bit(found), true, err
	}), nil
}
