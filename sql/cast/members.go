package cast

import (
	"math/bits"
	"strings"

	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

func registerMembers() {
	kernel.Register(kernel.Def{Name: expr.FuncMemberNumber, Bind: bindMemberNumber, Total: kernel.Always})
}

// Members looks up the values of an ENUM or SET type.
type Members struct {
	set    bool
	values []string
	exact  map[string]int // by the value as declared
	folded map[string]int // by the value in lower case
}

// NewMembers returns the values of t, which is an ENUM or SET.
func NewMembers(t types.Type) *Members {
	m := &Members{set: t.ID == types.Set, values: t.Members.Values(), exact: map[string]int{}, folded: map[string]int{}}
	for i, v := range m.values {
		if _, again := m.folded[strings.ToLower(v)]; !again {
			m.folded[strings.ToLower(v)] = i
		}
		m.exact[v] = i
	}
	return m
}

// find returns the position, from 0, of a value. It ignores case if no value matches exactly.
func (m *Members) find(s string) (int, bool) {
	if i, ok := m.exact[s]; ok {
		return i, true
	}
	i, ok := m.folded[strings.ToLower(s)]
	return i, ok
}

// number returns the number that a stored value represents.
func (m *Members) number(s string) int64 {
	if !m.set {
		if i, ok := m.find(s); ok {
			return int64(i + 1)
		}
		return 0
	}
	mask, _ := m.mask(s)
	return int64(mask)
}

// mask returns the bit mask of a comma-separated list; ok is false if the list contains unknown
// values.
func (m *Members) mask(s string) (mask uint64, ok bool) {
	ok = true
	for rest := s; rest != ""; {
		var part string
		part, rest, _ = strings.Cut(rest, ",")
		i, known := m.find(part)
		if known {
			mask |= 1 << i
		}
		ok = ok && known
	}
	return mask, ok
}

// text returns the stored value that a number represents; ok is false if there is none.
func (m *Members) text(n uint64) (string, bool) {
	if !m.set {
		if n == 0 || n > uint64(len(m.values)) {
			return "", false
		}
		return m.values[n-1], true
	}
	var parts []string
	for rest := n; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest)
		if i >= len(m.values) {
			return strings.Join(parts, ","), false
		}
		parts = append(parts, m.values[i])
	}
	return strings.Join(parts, ","), true
}

// Store returns the value that a column stores for text: members as declared, those of a SET once
// each and in order. Digits that are not a member represent a number. ok is false if the text has
// unknown members, which are left out.
func (m *Members) Store(s string) (stored string, ok bool) {
	s = strings.TrimRight(s, " ")
	if !m.set {
		if i, ok := m.find(s); ok {
			return m.values[i], true
		}
	} else if mask, ok := m.mask(s); ok {
		return m.text(mask)
	}
	n, whole := uint64(0), s != "" && len(s) < 19
	for i := 0; whole && i < len(s); i++ {
		whole = s[i] >= '0' && s[i] <= '9'
		n = n*10 + uint64(s[i]-'0')
	}
	if whole {
		return m.text(n)
	}
	mask, _ := m.mask(s)
	if m.set {
		s, _ = m.text(mask)
		return s, false
	}
	return "", false
}

func bindMemberNumber(c *expr.Call) (kernel.Kernel, error) {
	m := NewMembers(c.Args[0].Type())
	return kernel.Unary(m.number), nil
}

// castMember converts to an ENUM or SET: numbers are positions or masks, everything else is text.
// Unknown parts are dropped with warning 1265.
func castMember(from, to types.Type) kernel.Kernel {
	m := NewMembers(to)
	truncated := func(rt *kernel.Runtime) { rt.Warn(sqlerr.WarnDataTruncated, "Data truncated") }
	if from.IsInteger() {
		return kernel.TryUnary(func(rt *kernel.Runtime, x int64) (string, bool, error) {
			s, ok := m.text(uint64(x))
			if !ok {
				truncated(rt)
			}
			return s, true, nil
		})
	}
	if from.Kind() == types.KindStr {
		return kernel.TryUnary(func(rt *kernel.Runtime, s string) (string, bool, error) {
			s, ok := m.Store(s)
			if !ok {
				truncated(rt)
			}
			return s, true, nil
		})
	}
	return nil
}
