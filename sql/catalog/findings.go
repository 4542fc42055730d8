package catalog

import "sync"

// What Findings keep at most: so many, none with longer keys.
const (
	mostFindings = 128
	longestKey   = 2048
)

// Findings keep what was found out of the rows that a table shows, for the statements to come. The
// zero value is empty. Safe for concurrent use.
type Findings struct {
	mu    sync.Mutex
	known map[string]any
}

// Of returns what was kept under a key; it must not be changed.
func (f *Findings) Of(key []byte) (any, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	found, ok := f.known[string(key)]
	return found, ok
}

// Keep keeps what was found in place of what was there under the key. Where they are too many, all
// others are forgotten.
func (f *Findings) Keep(key []byte, found any) {
	if len(key) > longestKey {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.known == nil || len(f.known) >= mostFindings {
		f.known = map[string]any{}
	}
	f.known[string(key)] = found
}
