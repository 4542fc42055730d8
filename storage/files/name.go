package files

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gsql/sql/sqlerr"
)

// A statement names a file by its path. Options may follow the path after a question mark, as in
// data.csv?delimiter=;&header=no. "-" and /dev/stdin are standard input.

// stdin is the path of standard input.
const stdin = "/dev/stdin"

// inPlace is an option that follows a path.
type inPlace struct{ key, value string }

// splitName separates the path in a file's name from its options. A question mark within a path,
// which stands for any character in a pattern, is followed by no known option.
func splitName(name string) (path string, options []inPlace) {
	path, options = splitOptions(name)
	if file, table, ok := splitTable(path); ok {
		return file, append(options, inPlace{"table", table})
	}
	return path, options
}

// splitTable separates the table of a SQLite file from its path, as in shop.sqlite/orders.
func splitTable(path string) (file, table string, ok bool) {
	if hasFormat(path) {
		return "", "", false
	}
	file, table = filepath.Split(path)
	file = strings.TrimSuffix(file, "/")
	f, _, known := formatOf(file)
	return file, table, known && f == sqliteFormat && table != ""
}

func splitOptions(name string) (path string, options []inPlace) {
	for i := range len(name) {
		if name[i] != '?' {
			continue
		}
		if list, known := optionsIn(name[i+1:]); known > 0 || len(list) > 0 && hasFormat(name[:i]) {
			return name[:i], list
		}
	}
	return name, nil
}

// optionsIn returns the options of a text of the form key=value&key=value, and how many of them
// have a known key.
func optionsIn(text string) (list []inPlace, known int) {
	for part := range strings.SplitSeq(text, "&") {
		key, value, ok := strings.Cut(part, "=")
		if !ok || strings.ContainsAny(key, `/\*?`) {
			return nil, 0
		}
		if plain, err := url.PathUnescape(value); err == nil {
			value = plain
		}
		key = strings.ToLower(key)
		if slices.Contains(optionKeys, key) {
			known++
		}
		list = append(list, inPlace{key, value})
	}
	return list, known
}

// Path returns the path in a file's name, without its options, below dir unless it is absolute. ~ is
// the home directory.
func Path(dir, name string) string {
	path, _ := splitName(name)
	return under(dir, path)
}

// under returns the path of name, which is relative to dir unless absolute.
func under(dir, name string) string {
	switch {
	case name == "-":
		return stdin
	case name == "~" || strings.HasPrefix(name, "~/"):
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, name[1:])
		}
	case dir != "" && !filepath.IsAbs(name):
		return filepath.Join(dir, name)
	}
	return name
}

// isStdin reports whether a path is standard input.
func isStdin(path string) bool { return path == "-" || path == stdin }

// hasFormat reports whether the ending of a path names a format.
func hasFormat(path string) bool {
	_, _, ok := formatOf(path)
	return ok || isStdin(path)
}

// IsPath reports whether name is that of a file: it has an extension that Open reads, or options.
func IsPath(name string) bool {
	path, options := splitName(name)
	return hasFormat(path) || len(options) > 0
}

// wrongOption returns error 1210 for an option of a file.
func wrongOption(o inPlace, hint string, args ...any) error {
	return sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to file: %s=%s", o.key, o.value).WithHint(hint, args...)
}
