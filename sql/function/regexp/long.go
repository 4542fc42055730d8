package regexp

import (
	"io"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"gsql/sql/kernel"
)

const (
	// hugeSubject is the least length in bytes of a subject that is read character by character, so
	// that the statement can be cancelled meanwhile: package regexp has no other way.
	hugeSubject = 1 << 20
	// checkRunes is the number of characters between checks for cancellation.
	checkRunes = 1 << 15
)

// first returns the submatch indexes of the first match in a subject, or nil if there is none.
func first(rt *kernel.Runtime, re *regexp.Regexp, subject string) ([]int, error) {
	if len(subject) < hugeSubject {
		return re.FindStringSubmatchIndex(subject), nil
	}
	from, whole := begin(re, subject)
	if from < 0 {
		return nil, nil
	}
	var m []int
	if r := (&runes{rt: rt, rest: subject[from:]}); whole > 0 {
		m = re.FindStringSubmatchIndex(subject[from : from+whole])
	} else if m = re.FindReaderSubmatchIndex(r); r.err != nil {
		return nil, r.err
	}
	for i := range m {
		if m[i] >= 0 {
			m[i] += from
		}
	}
	return m, nil
}

// matches reports whether there is a match in a subject.
func matches(rt *kernel.Runtime, re *regexp.Regexp, subject string) (bool, error) {
	if len(subject) < hugeSubject {
		return re.MatchString(subject), nil
	}
	from, whole := begin(re, subject)
	if from < 0 || whole > 0 {
		return from >= 0, nil
	}
	r := &runes{rt: rt, rest: subject[from:]}
	found := re.MatchReader(r)
	return found && r.err == nil, r.err
}

// begin returns the first byte of a subject at which a match may begin, or -1: the first occurrence of the
// literal that all matches begin with, unless a condition on what precedes comes before it. whole is the
// length of the match if the pattern is nothing but such a literal, or else 0.
func begin(re *regexp.Regexp, subject string) (from, whole int) {
	parsed, err := syntax.Parse(re.String(), syntax.Perl)
	if err != nil {
		return 0, 0
	}
	if prog, err := syntax.Compile(parsed.Simplify()); err != nil || prog.StartCond() != 0 {
		return 0, 0
	}
	prefix, all := re.LiteralPrefix()
	if all {
		whole = len(prefix)
	}
	return strings.Index(subject, prefix), whole
}

// runes reads the characters of a text until the statement is cancelled.
type runes struct {
	rt   *kernel.Runtime
	rest string
	n    int   // characters read
	err  error // of the statement
}

// ReadRune implements io.RuneReader.
func (r *runes) ReadRune() (c rune, size int, err error) {
	if r.n++; r.n%checkRunes == 0 {
		if r.err = r.rt.Cancelled(); r.err != nil {
			return 0, 0, io.EOF
		}
	}
	if r.rest == "" {
		return 0, 0, io.EOF
	}
	if c = rune(r.rest[0]); c < utf8.RuneSelf {
		r.rest = r.rest[1:]
		return c, 1, nil
	}
	c, size = utf8.DecodeRuneInString(r.rest)
	r.rest = r.rest[size:]
	return c, size, nil
}
