package gsql

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"gsql/sql/catalog"
	"gsql/storage/files"
)

const (
	// cachedFiles is how many opened files are remembered.
	cachedFiles = 64
	// settled is the age from which a file's time tells a later change: file systems
	// keep times as coarsely as two seconds.
	settled = 2 * time.Second
)

// fileCache remembers files opened as tables, so that repeated statements neither look
// for their columns nor count their values again. An entry counts as long as the file's
// identity, size and time stay. Safe for concurrent use.
type fileCache struct {
	mu      sync.Mutex
	entries map[fileKey]*cachedFile
	clock   int64 // uses so far
}

// fileKey has the name as the statement wrote it, which the table bears, and the file.
type fileKey struct{ name, path string }

type cachedFile struct {
	table catalog.Table
	info  fs.FileInfo
	used  int64
}

// open gives the table of a file; patterns of files are not remembered.
func (c *fileCache) open(ctx context.Context, name, dir string) (catalog.Table, error) {
	opt := files.Options{Dir: dir}
	path := name
	if dir != "" && !filepath.IsAbs(name) {
		path = filepath.Join(dir, name)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return files.Open(ctx, name, opt)
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return files.Open(ctx, name, opt)
	}
	key := fileKey{name, path}
	if t := c.find(key, info); t != nil {
		return t, nil
	}
	opened := time.Now()
	t, err := files.Open(ctx, name, opt)
	if err == nil && opened.Sub(info.ModTime()) >= settled {
		c.keep(key, &cachedFile{table: t, info: info})
	}
	return t, err
}

// find gives the remembered table of a file that has not changed, or nil.
func (c *fileCache) find(key fileKey, info fs.FileInfo) catalog.Table {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[key]
	if e == nil {
		return nil
	}
	if !os.SameFile(e.info, info) || e.info.Size() != info.Size() || !e.info.ModTime().Equal(info.ModTime()) {
		delete(c.entries, key)
		return nil
	}
	c.clock++
	e.used = c.clock
	return e.table
}

// keep remembers an entry in place of the one that has not been used for longest.
func (c *fileCache) keep(key fileKey, e *cachedFile) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries == nil {
		c.entries = make(map[fileKey]*cachedFile)
	}
	if c.entries[key] == nil && len(c.entries) >= cachedFiles {
		var oldest fileKey
		for k, x := range c.entries {
			if o := c.entries[oldest]; o == nil || x.used < o.used {
				oldest = k
			}
		}
		delete(c.entries, oldest)
	}
	c.clock++
	e.used = c.clock
	c.entries[key] = e
}
