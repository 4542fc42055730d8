package collate

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"gsql/sql/types"
)

// TestPieces compares keys and folded texts that are made piece by piece with those made at once.
func TestPieces(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	parts := []string{"a", "B", " ", "é", "e\u0301", "ß", "l·", "日本", "ǆ", "😀", "ch", "-", "\u0301", "9", "Æ", "ij", "\u0e40\u0e01"}
	for range 3000 {
		var b strings.Builder
		for range r.IntN(60) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		s, size := b.String()+strings.Repeat(" ", r.IntN(3)), 1+r.IntN(20)
		for _, c := range []types.Collation{types.Bin, types.GeneralCI, types.UnicodeCI, types.UCA, types.UCAAccents, types.UCACase} {
			key, err := inPieces(nil, c, trimmed(c, s), size, appendKey, keyPiece, goOn)
			if want := AppendKey(nil, c, s); err != nil || string(key) != string(want) {
				t.Fatalf("collation %v, %q in pieces of %d: key %x, not %x (%v)", c, s, size, key, want, err)
			}
			folded, err := inPieces(nil, c, s, size, AppendFolded, characters, goOn)
			if want := AppendFolded(nil, c, s); err != nil || string(folded) != string(want) {
				t.Fatalf("collation %v, %q in pieces of %d: folded %q, not %q (%v)", c, s, size, folded, want, err)
			}
		}
	}
	stop := errors.New("stop")
	if _, err := AppendLongKey(nil, types.UCA, strings.Repeat("a", 2*LongText), func() error { return stop }); err != stop {
		t.Errorf("%v, not the error of stop", err)
	}
}

func goOn() error { return nil }
