package cputime

import (
	"testing"
	"time"
)

func TestUsedGrowsWithWork(t *testing.T) {
	start, before := time.Now(), Used()
	if before <= 0 {
		t.Fatalf("%s used at the start", before)
	}
	x := 0
	for Used()-before < 20*time.Millisecond {
		for i := range 1000 {
			x += i * i
		}
		if time.Since(start) > time.Minute {
			t.Fatalf("%s used by a minute of work, result %d", Used()-before, x)
		}
	}
}
