package json_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"gsql/sql/json"
)

// TestCut compares values cut out of texts with those found by decoding the texts, and checks
// that texts reported as normal are in normal form.
func TestCut(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var paths []*json.Path
	for _, text := range []string{"$", "$.a", "$.aa", "$[0]", "$[1]", "$.a.b", "$.a[0]", "$[0][0].a", `$."x y"`, "$.a[2].aa", "$[last]", "$.*", `$.""`} {
		p, err := json.ParsePath(text)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, p)
	}
	cuts := 0
	for range 30000 {
		text := string(json.Append(nil, randomValue(r, 4)))
		if r.IntN(3) == 0 && text != "" { // make it invalid
			at := r.IntN(len(text))
			text = text[:at] + []string{"", " ", ",", "0", `"`, `\`, "}", "\xff", ".", "e"}[r.IntN(10)] + text[at+r.IntN(2):]
		}
		v, err := json.Must(text)
		if json.Normal(text) && (err != nil || string(json.Append(nil, v)) != text) {
			t.Fatalf("%q is not normal: %v", text, err)
		}
		p := paths[r.IntN(len(paths))]
		got, found, normal := p.Cut(text)
		if !normal {
			continue
		}
		cuts++
		want := p.Find(v)
		if found != (len(want) > 0) || found && got != string(json.Append(nil, want[0])) {
			t.Fatalf("%q: got %q, %v, want %v", text, got, found, want)
		}
	}
	if cuts < 10000 {
		t.Errorf("only %d texts were cut", cuts)
	}
	deep := strings.Repeat("[", json.MaxDepth+1) + strings.Repeat("]", json.MaxDepth+1)
	if json.Normal(deep) {
		t.Error("too deep for a document")
	}
}

func TestAppendObject(t *testing.T) {
	got := string(json.AppendObject(nil, []json.Member{{"bb", "1"}, {"a", "2"}, {"b", "3"}, {"a", `"x"`}, {"\n", "null"}}))
	if want := `{"\n": null, "a": "x", "b": 3, "bb": 1}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := string(json.AppendObject([]byte("{"), nil)); got != "{{}" {
		t.Errorf("got %s", got)
	}
}
