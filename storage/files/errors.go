package files

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gsql/sql/sqlerr"
)

// corrupt is error 1033: the file is not what it should be.
func corrupt(path, format string, args ...any) error {
	return sqlerr.New(sqlerr.FileCorrupt, "Incorrect information in file: '%s': %s", path, fmt.Sprintf(format, args...)).
		WithHint("The file may be cut short or damaged; fetch or write it again.")
}

// readError wraps what the operating system or a decoder said about a file.
func readError(path string, err error) error {
	var e *sqlerr.Error
	var pe *os.PathError
	switch {
	case errors.As(err, &e), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, os.ErrNotExist):
		return notFound(path)
	case errors.As(err, &pe):
		return sqlerr.Wrap(sqlerr.ErrorOnRead, pe.Err, "Error reading file '%s'", path)
	}
	return corrupt(path, "%v", err)
}

// guard runs f and turns a panic of a decoder into error 1033.
func guard(path string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = corrupt(path, "cannot be decoded (%v)", p)
		}
	}()
	return f()
}

// notFound is error 1017 with the nearest existing name as a hint.
func notFound(path string) error {
	e := sqlerr.New(sqlerr.FileNotFound, "Can't find file: '%s'", path)
	if near := nearest(path); near != "" {
		return e.WithHint("Did you mean '%s'?", near)
	}
	return e.WithHint("Relative paths start from the working directory.")
}

// nearest gives the name in path's directory with the fewest edits to path's, or ""
// when none is close.
func nearest(path string) string {
	dir, base := filepath.Split(path)
	entries, err := os.ReadDir(filepath.Clean(dir + "."))
	if err != nil {
		return ""
	}
	best, bestCost := "", max(2, len(base)/3)+1
	for _, e := range entries {
		if c := editDistance(strings.ToLower(base), strings.ToLower(e.Name()), bestCost); c < bestCost && !e.IsDir() {
			best, bestCost = dir+e.Name(), c
		}
	}
	return best
}

// editDistance is Levenshtein's distance, or limit when the lengths alone exceed it.
func editDistance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
