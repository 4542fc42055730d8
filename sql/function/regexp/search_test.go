package regexp

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"gsql/sql/expr"
	"gsql/sql/kernel"
)

// TestLongSubjects compares matches found one by one with those that package regexp finds all at
// once, on subjects long enough for the former.
func TestLongSubjects(t *testing.T) {
	long := strings.Repeat("ab", longSubject/2+1)
	for _, pattern := range []string{"a", "ab", "b*", "x*", "", "^a", "b$", "(a)(b)", `\bab`, "a|", "(?:ab){3}", "é*"} {
		for _, subject := range []string{long, "é" + long[:longSubject] + " é"} {
			re := regexp.MustCompile(pattern)
			want := re.FindAllStringSubmatchIndex(subject, -1)
			rt := &kernel.Runtime{Call: &expr.Call{}}
			s := search{re: re, shifted: Pattern(nil), subject: subject}
			got := 0
			err := s.each(rt, func(n int64, m []int) (bool, error) {
				if got >= len(want) || n != int64(got+1) || !slices.Equal(m, want[got]) {
					t.Fatalf("%q: match %d is %v, want %v", pattern, n, m, want[min(got, len(want)-1)])
				}
				got++
				return true, nil
			})
			if err != nil || got != len(want) {
				t.Errorf("%q: %d matches of %d, %v", pattern, got, len(want), err)
			}
		}
	}
}
