package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	out := bytes.NewBufferString(`{"estimates_of":"q1"}
{"operator":"Project","est_rows":"5","act_rows":"5"}
{"operator":"└─HashJoin inner","est_rows":"10","act_rows":"1000"}
{"operator":"  ├─Scan a","est_rows":"1","act_rows":"100"}
{"operator":"  └─RadixJoin left","est_rows":"300","act_rows":"0"}
{"estimates_of":"q2"}
{"estimates_of":"q3"}
{"operator":"GroupJoin inner","est_rows":"7","act_rows":"7"}
{"operator":"└─HashJoin inner","est_rows":"7","act_rows":""}
`)
	s, err := parse(out)
	if err != nil {
		t.Fatal(err)
	}
	if s.Queries != 3 || strings.Join(s.Failed, " ") != "q2" || len(s.Joins) != 3 {
		t.Fatalf("%+v", s)
	}
	for i, want := range []join{{"q1", "RadixJoin left", 0, 300, 300}, {"q1", "HashJoin inner", 1000, 10, 100}, {"q3", "GroupJoin inner", 7, 7, 1}} {
		if s.Joins[i] != want {
			t.Errorf("%+v, want %+v", s.Joins[i], want)
		}
	}
}

// TestPercentiles compares percentiles of the errors from 1 to 200 with arithmetic.
func TestPercentiles(t *testing.T) {
	var joins []join
	for e := 200; e > 0; e-- {
		joins = append(joins, join{QError: float64(e)})
	}
	if got, want := summarize(joins), (summary{200, 100, 180, 190, 200}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got, want := summarize(joins[199:]), (summary{1, 1, 1, 1, 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
