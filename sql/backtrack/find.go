package backtrack

import (
	"strings"
	"unicode/utf8"
)

// State is the memory of a search, for one goroutine. The zero value is ready to use.
type State struct {
	stack []choice
	saved []int
}

// choice is what to do when the way taken does not lead to a match.
type choice struct {
	kind    operation // split goes on at pc; save restores the previous position of slot pc; the others are loops at pc
	pc, pos int
	least   int // of a loop: the end of its shortest repetition
}

// Backtracking ends after so many steps and so many more for each byte.
const leastSteps, stepsPerByte = 64, 8

// Find finds the leftmost match at from or later. It returns the positions of the match and its
// submatches, -1 for those that are not part of it, valid until the next call, or nil if there is no
// match. ok is false if the search took too many steps or the text is not UTF-8.
func (m *Matcher) Find(s string, from int, st *State) (found []int, ok bool) {
	if !utf8.ValidString(s) {
		return nil, false
	}
	if st.saved == nil {
		st.saved = make([]int, m.saves)
	}
	steps := leastSteps + stepsPerByte*len(s)
	for at := from; at <= len(s); at++ {
		if m.start && at > 0 {
			return nil, true
		}
		if at = m.candidate(s, at); at < 0 {
			return nil, true
		}
		found, left := m.matchAt(s, at, steps, st)
		if left <= 0 {
			return nil, false
		}
		if found {
			return st.saved, true
		}
		steps = left
	}
	return nil, true
}

// candidate returns the first place from at on where a match may begin, or -1.
func (m *Matcher) candidate(s string, at int) int {
	if m.start {
		return at
	}
	if x := &m.code[0]; x.op == literal {
		i := strings.Index(s[at:], x.text)
		if i < 0 {
			return -1
		}
		return at + i
	}
	for ; at < len(s); at++ {
		if (m.first == nil || m.first[s[at]]) && utf8.RuneStart(s[at]) {
			return at
		}
	}
	if m.first == nil {
		return at
	}
	return -1
}

// matchAt looks for a match that begins at at. It returns the number of steps that are left, 0 if
// they did not suffice.
func (m *Matcher) matchAt(s string, at, steps int, st *State) (found bool, left int) {
	saved := st.saved
	for i := range saved {
		saved[i] = -1
	}
	st.stack = st.stack[:0]
	pc, pos := 0, at
	for steps--; steps > 0; steps-- {
		x := &m.code[pc]
		ok := true
		switch x.op {
		case literal:
			if ok = strings.HasPrefix(s[pos:], x.text); ok {
				pos += len(x.text)
			}
		case class:
			if ok = pos < len(s) && x.set[s[pos]]; ok {
				pos += width(s, pos)
			}
		case loop:
			pos, ok = x.repeat(s, pos, pc, st)
		case lazy:
			for n := 0; n < x.least && ok; n++ {
				if ok = pos < len(s) && x.set[s[pos]]; ok {
					pos += width(s, pos)
				}
			}
			if ok {
				st.stack = append(st.stack, choice{kind: lazy, pc: pc, pos: pos})
			}
		case save:
			st.stack = append(st.stack, choice{kind: save, pc: x.slot, pos: saved[x.slot]})
			saved[x.slot] = pos
		case split:
			st.stack = append(st.stack, choice{kind: split, pc: x.other, pos: pos})
		case begin:
			ok = pos == 0
		case end:
			ok = pos == len(s)
		case match:
			saved[0], saved[1] = at, pos
			return true, steps
		}
		if pc++; ok {
			continue
		}
		if pc, pos, ok = m.back(s, st); !ok {
			return false, steps
		}
	}
	return false, 0
}

// repeat returns the end of the longest repetition at pos, and leaves the shorter ones as choices.
func (x *instruction) repeat(s string, pos, pc int, st *State) (to int, ok bool) {
	to = pos
	for to < len(s) && x.set[s[to]] {
		to++
	}
	if x.least > 0 {
		if to == pos {
			return pos, false
		}
		pos += width(s, pos)
	}
	if to > pos && !x.only {
		st.stack = append(st.stack, choice{kind: loop, pc: pc, pos: to, least: pos})
	}
	return to, true
}

// back returns where to go on after a failure; ok is false if no choice is left.
func (m *Matcher) back(s string, st *State) (pc, pos int, ok bool) {
	for len(st.stack) > 0 {
		last := len(st.stack) - 1
		switch c := &st.stack[last]; c.kind {
		case loop:
			for c.pos--; !utf8.RuneStart(s[c.pos]); c.pos-- {
			}
			pc, pos = c.pc+1, c.pos
			if c.pos == c.least {
				st.stack = st.stack[:last]
			}
			return pc, pos, true
		case lazy:
			if c.pos < len(s) && m.code[c.pc].set[s[c.pos]] {
				c.pos += width(s, c.pos)
				return c.pc + 1, c.pos, true
			}
			st.stack = st.stack[:last]
		case save:
			st.saved[c.pc] = c.pos
			st.stack = st.stack[:last]
		default:
			pc, pos = c.pc, c.pos
			st.stack = st.stack[:last]
			return pc, pos, true
		}
	}
	return 0, 0, false
}

// width returns the number of bytes of the character at pos.
func width(s string, pos int) int {
	if s[pos] < utf8.RuneSelf {
		return 1
	}
	_, n := utf8.DecodeRuneInString(s[pos:])
	return n
}
