package files

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"gsql/sql/sqlerr"
	"gsql/storage/disk"
)

// glob returns the files that a pattern matches, sorted by name. ** stands for any number of
// directories, except those whose names start with a dot or an underscore, which other programs
// use for logs and unfinished writes. Unreadable directories are skipped. Errors are those of a
// malformed pattern, and 1290 if the pattern leads out of d.
func glob(ctx context.Context, d *disk.Disk, pattern string) ([]string, error) {
	base := filepath.VolumeName(pattern)
	parts := strings.Split(filepath.ToSlash(pattern[len(base):]), "/")
	for _, p := range parts {
		if _, err := filepath.Match(p, ""); err != nil {
			return nil, err
		}
	}
	if len(parts) > 1 && parts[0] == "" {
		base, parts = base+string(filepath.Separator), parts[1:]
	}
	g := globber{ctx: ctx, disk: d}
	err := g.find(base, parts)
	return g.found, err
}

// globber walks directories.
type globber struct {
	ctx   context.Context
	disk  *disk.Disk
	found []string
}

// list reads a directory. An unreadable one counts as empty.
func (g *globber) list(dir string) ([]fs.DirEntry, error) {
	if err := g.ctx.Err(); err != nil {
		return nil, err
	}
	if dir == "" {
		dir = "."
	}
	entries, err := g.disk.ReadDir(dir)
	return entries, refusal(err)
}

// find adds the files below base that match the remaining parts of a pattern.
func (g *globber) find(base string, parts []string) error {
	fixed := 0
	for fixed < len(parts) && !strings.ContainsAny(parts[fixed], `*?[\`) {
		fixed++
	}
	if fixed > 0 {
		base = below(base, strings.Join(parts[:fixed], "/"))
	}
	if fixed == len(parts) {
		if _, err := g.disk.Stat(base); err == nil {
			g.found = append(g.found, base)
		} else {
			return refusal(err)
		}
		return nil
	}
	entries, err := g.list(base)
	if err != nil {
		return err
	}
	if slices.Contains(parts[fixed:], "**") {
		return g.descend(base, nil, entries, parts[fixed:])
	}
	for _, e := range entries {
		ok, err := filepath.Match(parts[fixed], e.Name())
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if at := below(base, e.Name()); fixed == len(parts)-1 {
			g.found = append(g.found, at)
		} else if err := g.find(at, parts[fixed+1:]); err != nil {
			return err
		}
	}
	return nil
}

// descend adds the files below base whose path relative to base matches. entries are those of the
// directory at path.
func (g *globber) descend(base string, path []string, entries []fs.DirEntry, pattern []string) error {
	for _, e := range entries {
		at := append(path[:len(path):len(path)], e.Name())
		if !e.IsDir() {
			if matchParts(pattern, at) {
				g.found = append(g.found, below(base, strings.Join(at, "/")))
			}
			continue
		}
		if hidden(e.Name()) {
			continue
		}
		inner, err := g.list(below(base, strings.Join(at, "/")))
		if err == nil {
			err = g.descend(base, at, inner, pattern)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// below joins paths. It keeps .., which may lead through a link.
func below(base, path string) string {
	path = filepath.FromSlash(path)
	if base == "" || strings.HasSuffix(base, string(filepath.Separator)) {
		return base + path
	}
	return base + string(filepath.Separator) + path
}

// refusal returns err if it reports that the pattern leads out of the disk, and nil otherwise.
func refusal(err error) error {
	if errors.Is(err, sqlerr.OptionPreventsStatement) {
		return err
	}
	return nil
}

func hidden(name string) bool { return name[0] == '.' || name[0] == '_' }

// matchParts matches the parts of a path against those of a well-formed pattern.
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
