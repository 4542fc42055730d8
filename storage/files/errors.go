package files

import (
	"path/filepath"
	"strings"

	"gsql/sql/sqlerr"
	"gsql/storage/disk"
)

// notFound returns error 1017 with the nearest existing name as a hint.
func notFound(d *disk.Disk, path string) error {
	e := sqlerr.New(sqlerr.FileNotFound, "Can't find file: '%s'", path)
	if near := likely(d, path); near != "" {
		return e.WithHint("Did you mean '%s'?", near)
	}
	if dir := filepath.Dir(path); !isDirectory(d, dir) {
		return e.WithHint("There is no directory '%s'; relative paths start from the working directory.", dir)
	}
	return e.WithHint("Relative paths start from the working directory.")
}

func isDirectory(d *disk.Disk, path string) bool {
	info, err := d.Stat(path)
	return err == nil && info.IsDir()
}

// likely returns the path of the file that was probably meant by path, which does not exist, or "".
func likely(d *disk.Disk, path string) string {
	if near := nearest(d, path); near != "" {
		return near
	}
	return elsewhere(d, path)
}

// maxFolders bounds the folders in which a file is looked for.
const maxFolders = 1000

// elsewhere returns the path of a file with path's name in a folder beside path's folder, if that
// does not exist, or in a folder of path's folder. It returns "" if there is none, and the one in
// the folder with the nearest name if there are several.
func elsewhere(d *disk.Disk, path string) string {
	dir, base := filepath.Split(path)
	parent, missing := filepath.Clean(dir), ""
	if !isDirectory(d, parent) {
		parent, missing = filepath.Split(parent)
	}
	entries, err := d.ReadDir(filepath.Clean(parent))
	if err != nil {
		return ""
	}
	best, bestCost := "", -1
	for _, e := range entries[:min(len(entries), maxFolders)] {
		found := filepath.Join(parent, e.Name(), base)
		if !e.IsDir() || !isFile(d, found) {
			continue
		}
		if c := editDistance(strings.ToLower(missing), strings.ToLower(e.Name()), 1<<20); best == "" || c < bestCost {
			best, bestCost = found, c
		}
	}
	return best
}

// nearest returns the path in path's directory with the smallest edit distance to path, or "" if
// none is close.
func nearest(d *disk.Disk, path string) string {
	dir, base := filepath.Split(path)
	entries, err := d.ReadDir(filepath.Clean(dir + "."))
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

// editDistance returns the Levenshtein distance, or limit if the lengths alone differ by that
// much.
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
