// Package sqlmode parses and formats sql_mode, the set of flags that change the meaning of
// statements.
package sqlmode

import (
	"math/bits"
	"strconv"
	"strings"
	"sync/atomic"
)

// Mode is a set of modes. The bits are those of MySQL, so that SET sql_mode = 4 works, and of the
// parser.
type Mode uint64

// The modes. ANSI and TRADITIONAL include other modes.
const (
	RealAsFloat            Mode = 1 << 0
	PipesAsConcat          Mode = 1 << 1
	ANSIQuotes             Mode = 1 << 2
	IgnoreSpace            Mode = 1 << 3
	OnlyFullGroupBy        Mode = 1 << 5
	NoUnsignedSubtraction  Mode = 1 << 6
	NoDirInCreate          Mode = 1 << 7
	ANSI                   Mode = 1 << 18
	NoAutoValueOnZero      Mode = 1 << 19
	NoBackslashEscapes     Mode = 1 << 20
	StrictTransTables      Mode = 1 << 21
	StrictAllTables        Mode = 1 << 22
	NoZeroInDate           Mode = 1 << 23
	NoZeroDate             Mode = 1 << 24
	AllowInvalidDates      Mode = 1 << 25
	ErrorForDivisionByZero Mode = 1 << 26
	Traditional            Mode = 1 << 27
	HighNotPrecedence      Mode = 1 << 29
	NoEngineSubstitution   Mode = 1 << 30
	PadCharToFullLength    Mode = 1 << 31
	TimeTruncateFractional Mode = 1 << 32
)

// Default is the sql_mode of a new session; it equals MySQL's.
const Default = OnlyFullGroupBy | StrictTransTables | NoZeroInDate | NoZeroDate | ErrorForDivisionByZero | NoEngineSubstitution

// Unsupported holds the modes that gsql does not implement.
const Unsupported = AllowInvalidDates | PadCharToFullLength | TimeTruncateFractional

// Lexical holds the modes that affect how a text is parsed.
const Lexical = RealAsFloat | PipesAsConcat | ANSIQuotes | IgnoreSpace | NoBackslashEscapes | HighNotPrecedence

var names = map[Mode]string{
	RealAsFloat: "REAL_AS_FLOAT", PipesAsConcat: "PIPES_AS_CONCAT", ANSIQuotes: "ANSI_QUOTES", IgnoreSpace: "IGNORE_SPACE",
	OnlyFullGroupBy: "ONLY_FULL_GROUP_BY", NoUnsignedSubtraction: "NO_UNSIGNED_SUBTRACTION", NoDirInCreate: "NO_DIR_IN_CREATE",
	ANSI: "ANSI", NoAutoValueOnZero: "NO_AUTO_VALUE_ON_ZERO", NoBackslashEscapes: "NO_BACKSLASH_ESCAPES",
	StrictTransTables: "STRICT_TRANS_TABLES", StrictAllTables: "STRICT_ALL_TABLES", NoZeroInDate: "NO_ZERO_IN_DATE", NoZeroDate: "NO_ZERO_DATE",
	AllowInvalidDates: "ALLOW_INVALID_DATES", ErrorForDivisionByZero: "ERROR_FOR_DIVISION_BY_ZERO", Traditional: "TRADITIONAL",
	HighNotPrecedence: "HIGH_NOT_PRECEDENCE", NoEngineSubstitution: "NO_ENGINE_SUBSTITUTION", PadCharToFullLength: "PAD_CHAR_TO_FULL_LENGTH",
	TimeTruncateFractional: "TIME_TRUNCATE_FRACTIONAL",
}

var modes = func() map[string]Mode {
	m := map[string]Mode{}
	for mode, name := range names {
		m[name] = mode
	}
	return m
}()

// parsed is a list parsed by Parse, and its result.
type parsed struct {
	list string
	mode Mode
}

// last is the last result of Parse. Every statement parses the modes of its session, which mostly
// equal those of the previous statement.
var last atomic.Pointer[parsed]

// Parse parses a comma-separated list of modes, ignoring case, or their sum as a number. wrong is
// the first unknown name, or "".
func Parse(list string) (m Mode, wrong string) {
	if p := last.Load(); p != nil && p.list == list {
		return p.mode, ""
	}
	if m, wrong = read(list); wrong == "" {
		last.Store(&parsed{list, m})
	}
	return m, wrong
}

func read(list string) (m Mode, wrong string) {
	if number := strings.TrimSpace(list); number != "" && strings.Trim(number, "0123456789") == "" {
		n, err := strconv.ParseUint(number, 10, 64)
		if err != nil {
			return 0, list
		}
		for rest := n; rest != 0; rest &= rest - 1 {
			if names[Mode(rest&-rest)] == "" {
				return 0, list
			}
		}
		return Mode(n).expand(), ""
	}
	for name := ""; list != ""; {
		if name, list, _ = strings.Cut(list, ","); name == "" {
			continue
		}
		mode, ok := modes[strings.ToUpper(name)]
		if !ok {
			return 0, name
		}
		m |= mode
	}
	return m.expand(), ""
}

// expand adds the modes that the combined modes include.
func (m Mode) expand() Mode {
	if m.Has(ANSI) {
		m |= RealAsFloat | PipesAsConcat | ANSIQuotes | IgnoreSpace | OnlyFullGroupBy
	}
	if m.Has(Traditional) {
		m |= StrictTransTables | StrictAllTables | NoZeroInDate | NoZeroDate | ErrorForDivisionByZero | NoEngineSubstitution
	}
	return m
}

// Has reports whether any of the given modes is set.
func (m Mode) Has(any Mode) bool { return m&any != 0 }

// Strict reports whether values that do not fit their columns are errors.
func (m Mode) Strict() bool { return m.Has(StrictTransTables | StrictAllTables) }

// String formats the modes as @@sql_mode shows them.
func (m Mode) String() string {
	var list []string
	for ; m != 0; m &= m - 1 {
		list = append(list, names[1<<bits.TrailingZeros64(uint64(m))])
	}
	return strings.Join(list, ",")
}
