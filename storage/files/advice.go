package files

import (
	"fmt"
	"path/filepath"
	"strings"

	"gsql/sql/sqlerr"
	"gsql/storage/disk"
)

// readable lists the file extensions that Open accepts, for hints.
const readable = ".csv, .tsv, .json, .ndjson, .jsonl, .parquet, .arrow, .ipc and .feather, each optionally followed by .gz or .zst, .xlsx and .sqlite"

// foreign lists the extensions of data files that gsql does not read.
var foreign = map[string]bool{
	".xls": true, ".ods": true, ".orc": true, ".avro": true,
	".xml": true, ".duckdb": true, ".bz2": true, ".xz": true, ".zip": true, ".7z": true, ".lz4": true, ".br": true,
}

// Advice returns a hint for a table name that was not found, if a file may have been meant, and
// "" otherwise. Relative names start from dir, as in Options. Advice discloses no files outside
// of d.
func Advice(d *disk.Disk, name, dir string) string {
	ext := strings.ToLower(filepath.Ext(name))
	switch path := under(dir, name); {
	case isRemote(name):
		return remoteHint
	case foreign[ext] || ext == ".gz" || ext == ".zst":
		return unreadable(name)
	case IsPath(name) && isFile(d, path):
		return fmt.Sprintf("A file's name is written in back-quotes: `%s`.", name)
	case isFile(d, path) && name != filepath.Base(strings.TrimSuffix(name, ext)):
		return unreadable(name)
	case ext == "" && !strings.ContainsAny(name, `/\`):
		for _, known := range []string{".csv", ".parquet", ".tsv", ".json", ".ndjson", ".jsonl", ".arrow", ".ipc", ".feather", ".xlsx", ".sqlite"} {
			if isFile(d, path+known) {
				return fmt.Sprintf("The file '%s' is there: write its whole name in back-quotes, `%s`.", name+known, name+known)
			}
		}
		if isDirectory(d, path) {
			return fmt.Sprintf("'%s' is a folder: name a file in it, or several by a pattern, in back-quotes: `%s`.", name, filepath.Join(name, "*.parquet"))
		}
	case ext != "":
		if near := likely(d, path); IsPath(near) {
			return fmt.Sprintf("Did you mean `%s`? A file's name is written in back-quotes.", shownUnder(dir, near))
		}
		if IsPath(name) {
			return fmt.Sprintf("If a file is meant, write its name in back-quotes: `%s`.", name)
		}
	}
	return ""
}

func unreadable(name string) string {
	return fmt.Sprintf("gsql does not read %s files as tables; it reads %s. A text file of any name is read with its format, as in `%s?format=csv`.",
		kindOf(name), readable, name)
}

// kindOf returns the extension of a name, or "such" if it has none.
func kindOf(name string) string {
	if ext := filepath.Ext(name); ext != "" {
		return ext
	}
	return "such"
}

const remoteHint = "gsql reads files from disk only: download it first, then write the local name in back-quotes."

// isRemote reports whether a name is an address such as https://host/a.csv.
func isRemote(name string) bool {
	scheme, _, ok := strings.Cut(name, "://")
	return ok && scheme != "" && !strings.ContainsAny(scheme, `/\`)
}

// checkLocal returns error 1235 for the address of a remote file.
func checkLocal(path string) error {
	if isRemote(path) {
		return sqlerr.Unsupported(-1, "reading %s", path).WithHint(remoteHint)
	}
	return nil
}

// shownUnder returns path as a statement that starts from dir would name it.
func shownUnder(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); dir != "" && err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// isFile reports whether there is a file at path.
func isFile(d *disk.Disk, path string) bool {
	info, err := d.Stat(path)
	return err == nil && !info.IsDir()
}
