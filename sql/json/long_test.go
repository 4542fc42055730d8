package json_test

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"gsql/sql/json"
)

// TestLongTexts decodes long texts, valid and damaged ones, part by part and at once.
func TestLongTexts(t *testing.T) {
	goOn := func() error { return nil }
	r := rand.New(rand.NewPCG(1, 0))
	long := func(n int) string { return strings.Repeat(`{"a": [1, 2.50, "x\\"]}, `, n) }
	texts := []string{
		"[" + long(60_000) + "1]", `{"k" : [` + long(60_000) + `1], "k2":-7e2 , "k":{"é":true}}`, "  [[[ [" + long(60_000) + " null ]] , false], \"" + strings.Repeat(`\u00e9"`[:6], 300_000) + "\"]\n",
		`"` + strings.Repeat("ab", 1<<20) + `"`, strings.Repeat("[", 1<<20), strings.Repeat(`{"a":`, 1<<18) + "1", strings.Repeat(" ", 1<<20) + "17", "[" + strings.Repeat("1 ", 1<<20) + "]",
		"[" + long(60_000) + "1]]", "[" + long(60_000) + "\xff]", "[" + long(60_000) + "]", "[1" + long(60_000) + "]", strings.Repeat("[", 99) + strings.TrimSuffix(long(60_000), ", ") + strings.Repeat("]", 99),
		"[" + strings.Repeat("123456789", 200_000) + "]", strings.Repeat(" ", 1<<21),
	}
	for range 12 {
		b := []byte(texts[r.IntN(3)])
		b[r.IntN(len(b))] = `[]{},:"\1 a`[r.IntN(11)]
		texts = append(texts, string(b))
	}
	for i, text := range texts {
		want, wantErr := json.Parse(text)
		got, err := (&json.Decoder{Stop: goOn}).Parse(text)
		if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(err, wantErr) {
			t.Errorf("text %d, %.60q: error %v, not %v, or other values", i, text, err, wantErr)
		}
	}
	stop, calls := errors.New("stop"), 0
	_, err := (&json.Decoder{Stop: func() error {
		if calls++; calls > 5 {
			return stop
		}
		return nil
	}}).Parse(texts[0])
	if err != stop || calls > 6 {
		t.Errorf("%v after %d calls, not the error of Stop", err, calls)
	}
}
