package format

import (
	"fmt"
	"strings"
)

// UniqueNames makes the names of n columns distinct regardless of case, so that each can be
// referred to: column i without a name becomes c(i+1), and repeated names get a number.
func UniqueNames(n int, name func(i int) *string) {
	taken := make(map[string]bool, n)
	for i := range n {
		own := *name(i)
		if own == "" {
			own = fmt.Sprintf("c%d", i+1)
		}
		*name(i) = own
		for k := 2; taken[strings.ToLower(*name(i))]; k++ {
			*name(i) = fmt.Sprintf("%s_%d", own, k)
		}
		taken[strings.ToLower(*name(i))] = true
	}
}
