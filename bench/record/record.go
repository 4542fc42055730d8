// Package record writes what benchmarks measured.
package record

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// Write writes a report to a folder, which it creates if it is missing: v as NAME.json, and its text for readers as
// NAME.md.
func Write(folder, name string, v any, markdown string) error {
	text, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path+".json", append(text, '\n'), 0o644); err != nil {
		return err
	}
	return os.WriteFile(path+".md", []byte(markdown), 0o644)
}
