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
