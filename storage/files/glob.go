package files

import (
	"io/fs"
	"path/filepath"
	"strings"
)

// glob gives the files that match a pattern, in the order of their names. A part ** of it stands
// for any number of directories, but for those whose names start with a dot or an underscore, as
// logs and unfinished writes of other programs do.
func glob(pattern string) ([]string, error) {
	parts := strings.Split(filepath.ToSlash(pattern), "/")
	fixed := 0
	for fixed < len(parts) && !strings.ContainsAny(parts[fixed], "*?[") {
		fixed++
	}
	deep := false
	for _, p := range parts[fixed:] {
		deep = deep || p == "**"
		if _, err := filepath.Match(p, ""); err != nil {
			return nil, err
		}
	}
	if !deep {
		return filepath.Glob(pattern)
	}
	base := filepath.FromSlash(strings.Join(parts[:fixed], "/"))
	if base == "" && strings.HasPrefix(pattern, "/") {
		base = "/"
	}
	root := base
	if root == "" {
		root = "."
	}
	var found []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // what cannot be read is passed over, as by Glob
		}
		rel, err := filepath.Rel(root, path)
		if err != nil || rel == "." {
			return err
		}
		if d.IsDir() {
			if hidden(d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if matchParts(parts[fixed:], strings.Split(filepath.ToSlash(rel), "/")) {
			found = append(found, filepath.Join(base, rel))
		}
		return nil
	})
	return found, err
}

func hidden(name string) bool { return name[0] == '.' || name[0] == '_' }

// matchParts matches the parts of a path with those of a pattern, which are well formed.
func matchParts(pattern, path []string) bool {
	for len(pattern) > 0 && pattern[0] != "**" {
		if len(path) == 0 {
			return false
		}
		if ok, err := filepath.Match(pattern[0], path[0]); !ok || err != nil {
			return false
		}
		pattern, path = pattern[1:], path[1:]
	}
	if len(pattern) == 0 {
		return len(path) == 0
	}
	for skip := range len(path) + 1 {
		if matchParts(pattern[1:], path[skip:]) {
			return true
		}
	}
	return false
}
