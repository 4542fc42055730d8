//go:build !unix

package theme

import (
	"os"
	"time"
)

// ask returns nothing: consoles that are no terminals of Unix are not asked.
func ask(_, _ *os.File, _ string, _ func([]byte) bool, _ time.Duration) []byte { return nil }
