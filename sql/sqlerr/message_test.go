package sqlerr_test

import (
	"errors"
	"strings"
	"testing"

	"gsql/sql/sqlerr"
)

// TestMessagesAreShort: messages do not hold whole values.
func TestMessagesAreShort(t *testing.T) {
	long := strings.Repeat("ä", 1<<20)
	for _, e := range []*sqlerr.Error{
		sqlerr.New(sqlerr.UnknownError, "%s and %d", long, 7), sqlerr.New(sqlerr.UnknownError, "%v", errors.New(long)),
		sqlerr.Unsupported(0, "%s", long), sqlerr.Wrap(sqlerr.UnknownError, errors.New("cause"), "%s", long),
	} {
		if n := len(e.Msg); n < 500 || n > 700 || !strings.Contains(e.Msg, "ää...") {
			t.Errorf("%d bytes: %s", n, e.Msg)
		}
	}
	for s, want := range map[string]string{"abc": "abc", "abcd": "abc...", "abä": "ab...", "ä€": "ä..."} {
		if got := sqlerr.Cut(s, 3); got != want {
			t.Errorf("%s becomes %s, not %s", s, got, want)
		}
	}
}

// TestCaretBelowWideCharacters checks that the caret of an error stands below its place after characters that take two columns of
// a terminal, and after accents, which take none.
func TestCaretBelowWideCharacters(t *testing.T) {
	for before, columns := range map[string]int{"SELECT '漢字', ": 15, "SELECT 'e\u0301', ": 12, "SELECT 'ｶﾅ', 'ＡＢ', ": 21, "SELECT 'é', ": 12} {
		text := before + "nope"
		got := sqlerr.Render(sqlerr.New(sqlerr.UnknownError, "x").At(len(before)), text)
		if want := "\n  " + text + "\n  " + strings.Repeat(" ", columns) + "^"; !strings.HasSuffix(got, want) {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}
