package regexp

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
	"sync/atomic"

	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
)

func registerRegexp() { kernel.Register(kernel.Def{Name: expr.FuncRegexp, Bind: bindRegexp}) }

// The patterns from rows that stay compiled: at most so many, and so many bytes of them together.
const (
	keptPatterns     = 256
	keptPatternBytes = 64 << 10
)

// Pattern returns a function that compiles the regular expression in a call's argument; a constant
// one is compiled once. The function is safe for concurrent use and returns error 3685 for an
// invalid expression.
func Pattern(arg expr.Expr) func(rt *kernel.Runtime, pattern string) (*regexp.Regexp, error) {
	if c, ok := arg.(*expr.Const); ok && !c.Value.Null && cost(c.Value.Str) == 0 {
		re, err := regexp.Compile(c.Value.Str)
		return func(rt *kernel.Runtime, _ string) (*regexp.Regexp, error) {
			if err != nil {
				return nil, invalidPattern(rt, err)
			}
			return re, nil
		}
	}
	var known sync.Map // pattern text to *regexp.Regexp
	var kept, keptBytes atomic.Int32
	return func(rt *kernel.Runtime, pattern string) (*regexp.Regexp, error) {
		if re, ok := known.Load(pattern); ok {
			return re.(*regexp.Regexp), nil
		}
		if bytes := cost(pattern); bytes > 0 {
			re, err := rt.Prepared(pattern, bytes, func() (any, error) { return compile(rt, pattern) })
			if err != nil {
				return nil, err
			}
			return re.(*regexp.Regexp), nil
		}
		re, err := compile(rt, pattern)
		if err != nil {
			return nil, err
		}
		if keptBytes.Load() < keptPatternBytes && kept.Add(1) <= keptPatterns {
			keptBytes.Add(int32(len(pattern)))
			known.Store(pattern, re)
		}
		return re, nil
	}
}

func compile(rt *kernel.Runtime, pattern string) (*regexp.Regexp, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, invalidPattern(rt, err)
	}
	return re, nil
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

// Patterns whose compilation is charged for: those longer than shortPattern, and those whose
// repetitions unfold to many instructions.
const (
	shortPattern     = 2 << 10
	fewInstructions  = 4 << 10
	patternByteCost  = 256 // bytes for each byte of a pattern
	instructionsCost = 160 // bytes for each instruction
)

// cost returns how many bytes compiling a pattern takes at most, or 0 where it does not matter.
func cost(pattern string) int64 {
	if len(pattern) > shortPattern {
		return patternByteCost*int64(len(pattern)) + unfolded(pattern)
	}
	return unfolded(pattern)
}

// Of patterns longer than mostParsed, the repetitions are not examined: they unfold to at most so
// many instructions as package syntax accepts.
const (
	mostParsed       = 64 << 10
	mostInstructions = 128 << 20 / 40
)

// unfolded returns the bytes of the instructions of a pattern with many repetitions, or 0.
func unfolded(pattern string) int64 {
	if strings.IndexByte(pattern, '{') < 0 {
		return 0
	}
	if len(pattern) > mostParsed {
		return instructionsCost * mostInstructions
	}
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil { // compiling it fails too
		return 0
	}
	n := instructions(re)
	if n <= fewInstructions {
		return 0
	}
	return instructionsCost * n
}

// instructions estimates the length of the program of an expression.
func instructions(re *syntax.Regexp) int64 {
	n := int64(len(re.Rune)) + 2
	for _, sub := range re.Sub {
		n += instructions(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= int64(max(re.Max, re.Min+1))
	}
	return n
}
