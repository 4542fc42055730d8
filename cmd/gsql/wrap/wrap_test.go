package wrap

import "testing"

// TestTo wraps messages.
func TestTo(t *testing.T) {
	for message, want := range map[string]string{
		"":                           "",
		"one two three":              "one two \nthree",
		"12345 7890":                 "12345 7890",
		"12345 78901":                "12345 \n78901",
		"1234567890123 4\nfive":      "1234567890123 \n4\nfive",
		"e\n  SELECT a, b, c FROM\n": "e\n  SELECT a, b, c FROM\n",
		"漢字漢字 漢字":                    "漢字漢字 \n漢字",
	} {
		if got := To(10, message); got != want {
			t.Errorf("%q: %q, want %q", message, got, want)
		}
	}
}
