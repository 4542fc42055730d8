package catalog

import "sync"

// Limits of Findings: the number of entries and the length of a key in bytes.
const (
	mostFindings = 128
	longestKey   = 2048
)

// Findings caches facts derived from a table's sample rows for later statements. The zero value
// is empty. It is safe for concurrent use.
type Findings struct {
	mu    sync.Mutex
	known map[string]any
}

// Of returns the value stored under key, which must not be changed.
func (f *Findings) Of(key []byte) (any, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	found, ok := f.known[string(key)]
	return found, ok
}

// Keep stores found under key, replacing any previous value. If there are too many entries, it
// drops all others. It ignores keys that are too long.
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
