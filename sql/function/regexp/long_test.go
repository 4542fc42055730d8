package regexp

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gsql/sql/kernel"
)

// TestHugeSubjects searches subjects that are read character by character, and compares what is found
// with what package regexp finds in the whole subject.
func TestHugeSubjects(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	parts := []string{"ab", "c", " ", "é", "日本", "\n", "needle", "need", "x1", "\xff"}
	subjects := []string{strings.Repeat("a", hugeSubject), strings.Repeat("ab ", hugeSubject/2)}
	for range 2 {
		var b strings.Builder
		for b.Len() < hugeSubject+100 {
			b.WriteString(parts[r.IntN(len(parts)-r.IntN(3))])
		}
		subjects = append(subjects, b.String(), b.String()+"the end")
	}
	for _, pattern := range []string{"needle", "(needle)", "need(l)e\\b", "needlex?(1|2)", "zz", "(a|b|ab)*zq", "^ab", "(^|x)a", "\\Aab c", "the end$", "\\bthe (e)nd", "é(日本)+x", "(?i)NEEDLE *é", "(?m)^x1(.*)$", "$", "", "\\Bneed", "n?eedlec"} {
		re := regexp.MustCompile(pattern)
		for i, s := range subjects {
			want := re.FindStringSubmatchIndex(s)
			got, err := first(&kernel.Runtime{}, re, s)
			found, err2 := matches(&kernel.Runtime{}, re, s)
			if err != nil || err2 != nil || !slices.Equal(got, want) || found != (want != nil) {
				t.Errorf("%q in subject %d: %v and %v, not %v (%v, %v)", pattern, i, got, found, want, err, err2)
			}
		}
	}
}
