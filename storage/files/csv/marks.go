package csv

import (
	"bytes"
	"context"
	"math/bits"

	"gsql/internal/simd"
)

// separators finds the ends of fields and records, 64 bytes at a time. Delimiters, line ends, quotes and
// escapes become bits of words, and prefix sums of the quotes' bits mark what lies between quotes
// (Langdale and Lemire, Parsing Gigabytes of JSON per Second, VLDB Journal 2019, section 3.1). Words
// with escapes or misplaced quotes are resolved bit by bit.
type separators struct {
	d               *dialect
	sought          [4]byte // first bytes of delimiters, line ends, quotes and escapes
	quotes, escapes uint64  // all ones if the dialect has them
	words           bool    // whether prefix sums work for the dialect

	data   []byte
	at     int  // data before it has been searched
	inside bool // whether at is between quotes
	start  int  // start of the current field
	skip   int  // no byte before it is a separator

	quoted   int // all quotes found so far precede it
	odd      int // all misplaced quotes found so far precede it
	rewrites int // all doubled quotes and escapes found so far precede it

	marks       []simd.Marks
	ends, lines []uint64 // by word of a window: bits of the ends of fields, and of records
}

// window is the number of bytes searched at once.
const window = 1 << 14

func newSeparators(d *dialect) *separators {
	s := &separators{d: d, sought: [4]byte{d.delim[0], d.lines[0], d.delim[0], d.delim[0]}}
	if d.quote != 0 {
		s.sought[2], s.quotes = d.quote, ^uint64(0)
	}
	if d.escape != 0 {
		s.sought[3], s.escapes = d.escape, ^uint64(0)
	}
	s.words = len(d.delim) == 1 && len(d.lines) == 1 && d.prefix == "" && d.delim != d.lines &&
		d.quote != d.delim[0] && d.quote != d.lines[0] && d.escape != d.delim[0] && d.escape != d.lines[0]
	s.marks = make([]simd.Marks, window/64)
	s.ends, s.lines = make([]uint64, window/64), make([]uint64, window/64)
	return s
}

// reset starts over with data, which must begin with a record.
func (s *separators) reset(data []byte) {
	s.data, s.at, s.inside, s.skip, s.quoted, s.odd, s.rewrites = data, 0, false, 0, 0, 0, 0
	s.begin(0)
}

// begin starts a record after a line end or at the start of the data.
func (s *separators) begin(at int) {
	s.start, _ = s.recordStart(at)
	s.skip = max(s.skip, s.start)
}

// recordStart returns the start of the next record at or after at. ok is false if there is none.
func (s *separators) recordStart(at int) (start int, ok bool) {
	if s.d.prefix == "" || at >= len(s.data) {
		return at, at < len(s.data)
	}
	i := bytes.Index(s.data[at:], []byte(s.d.prefix))
	if i < 0 {
		return len(s.data), false
	}
	return at + i + len(s.d.prefix), true
}

// next finds the separators of the next window. It returns the window's offset and its number of
// words of bits, which is 0 at the end.
func (s *separators) next() (base, words int) {
	base = s.at
	n := min(len(s.data)-base, window)
	words = (n + 63) / 64
	simd.Mark(s.marks[:words], s.data[base:base+n], s.sought)
	for i := range words {
		m := &s.marks[i]
		quotes, escapes := m[2]&s.quotes, m[3]&s.escapes
		at := base + 64*i
		if quotes|escapes != 0 || s.inside || s.skip > at || !s.words {
			s.resolve(i, at, quotes, escapes)
			continue
		}
		ends := m[0] | m[1]
		s.ends[i], s.lines[i] = ends, m[1]
		if ends != 0 {
			s.start = at + bits.Len64(ends)
		}
	}
	s.at = base + n
	return base, words
}

// resolve finds the separators of a word that has quotes or escapes, or is between quotes.
func (s *separators) resolve(i, at int, quotes, escapes uint64) {
	m := &s.marks[i]
	if quotes != 0 {
		s.quoted = at + 64
	}
	ignored := uint64(0)
	if s.skip > at {
		ignored = 1<<min(s.skip-at, 64) - 1 // all ones if the shift is 64
	}
	if escapes &^= ignored; escapes != 0 || !s.words || !s.bySums(i, at, m[0]&^ignored, m[1]&^ignored, quotes&^ignored) {
		s.byBits(i, at, (m[0]|m[1]|quotes|escapes)&^ignored)
	}
}

// bySums finds the separators of a word without escapes. It fails if an opening quote is neither
// at the start of a field nor directly after a closing quote, with which it forms a doubled
// quote.
func (s *separators) bySums(i, at int, delims, lines, quotes uint64) bool {
	inside := simd.InsideQuotes(quotes)
	if s.inside {
		inside = ^inside
	}
	ends := delims | lines
	starts := ends << 1
	if s.start == at {
		starts |= 1
	}
	if quotes&inside&^(starts|quotes<<1) != 0 {
		return false
	}
	closing := quotes &^ inside
	s.ends[i], s.lines[i] = ends&^inside, lines&^inside
	s.inside = inside>>63 != 0
	if quotes&(quotes<<1) != 0 {
		s.rewrites = at + 64
	}
	for strange := closing << 1 &^ (ends | quotes); strange != 0; strange &= strange - 1 {
		s.behindClosing(at + bits.TrailingZeros64(strange))
	}
	if s.ends[i] != 0 {
		s.start = at + bits.Len64(s.ends[i])
	}
	if closing>>63 != 0 {
		s.behindClosing(at + 64)
	}
	return true
}

// behindClosing examines byte i, which follows a closing quote.
func (s *separators) behindClosing(i int) {
	switch {
	case i >= len(s.data):
	case s.data[i] == s.d.quote: // in the next word
		s.inside, s.skip, s.rewrites = true, i+1, i+1
	case s.data[i] == s.d.escape && s.d.escape != 0:
		s.odd = i + 1
	case hasAt(s.data, i, s.d.delim) || hasAt(s.data, i, s.d.lines):
	case s.data[i] == '\r' && s.d.lines == "\n" && (i+1 == len(s.data) || s.data[i+1] == '\n'):
	default:
		s.odd = i + 1
	}
}

// byBits finds the separators of a word by examining each marked byte.
func (s *separators) byBits(word, at int, marked uint64) {
	d := s.d
	s.ends[word], s.lines[word] = 0, 0
	s.rewrites = at + 64
	for ; marked != 0; marked &= marked - 1 {
		bit := marked & -marked
		i := at + bits.TrailingZeros64(marked)
		if i < s.skip {
			continue
		}
		c := s.data[i]
		switch {
		case s.inside && c == d.escape && d.escape != 0:
			s.skip = i + 2
		case s.inside && c != d.quote: // a separator within quotes
		case s.inside && i+1 < len(s.data) && s.data[i+1] == d.quote:
			s.skip = i + 2
		case s.inside:
			s.inside = false
			s.behindClosing(i + 1)
		case c == d.quote && d.quote != 0 && i == s.start:
			s.inside = true
		case c == d.escape && d.escape != 0:
			s.skip = i + 2
		case hasAt(s.data, i, d.delim):
			s.ends[word] |= bit
			s.start = i + len(d.delim)
			s.skip = s.start
		case hasAt(s.data, i, d.lines):
			s.ends[word] |= bit
			s.lines[word] |= bit
			s.skip = i + len(d.lines)
			s.begin(s.skip)
		}
	}
}

// recordEnd returns the offset after the last whole record of data, which must start with a
// record. It is 0 if there is none or ctx ends the search.
func (s *separators) recordEnd(ctx context.Context, data []byte) int {
	d := s.d
	if d.linesAlone() && !holds(data, d.quote) && !holds(data, d.escape) {
		return d.lastLine(data)
	}
	end := 0
	s.reset(data)
	for base, words := s.next(); words > 0; base, words = s.next() {
		if base/window%windowsAtOnce == windowsAtOnce-1 && ctx.Err() != nil {
			return 0
		}
		for i, w := range s.lines[:words] {
			if w != 0 {
				end = base + 64*i + bits.Len64(w) - 1 + len(d.lines)
			}
		}
	}
	if _, begun := s.recordStart(end); !begun { // no prefix follows, and so no record
		end = max(end, d.lastLine(data))
	}
	return end
}
