package eval

import (
	"testing"
)

// TestFunctions checks testdata/functions.txt as TestTruthTables checks its own file.
func TestFunctions(t *testing.T) { checkFile(t, "testdata/functions.txt", 400) }
