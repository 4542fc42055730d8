package database

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
	// cachedFiles is the maximum number of opened files that are cached.
	cachedFiles = 64
	// settled is the age from which a file's modification time reveals later changes: file systems
	// may record times with a resolution of two seconds.
	settled = 2 * time.Second
)

// FileCache caches files opened as tables, so that repeated statements neither infer their columns
// nor count their values again. An entry is valid while the file's identity, size and time are
// unchanged. The zero value is empty. Safe for concurrent use.
type FileCache struct {
	mu      sync.Mutex
	entries map[fileKey]*cachedFile
	clock   int64 // uses so far
}

// fileKey is the name that the statement wrote, which is also the table's name, and the file.
type fileKey struct{ name, path string }

type cachedFile struct {
	table catalog.Table
	info  fs.FileInfo
	used  int64
}

// Open returns the table of a file. Patterns of files are not cached.
func (c *FileCache) Open(ctx context.Context, name string, opt files.Options) (catalog.Table, error) {
	d, dir := opt.Disk, opt.Dir
	path, err := filepath.Abs(files.Path(dir, name))
	if err != nil {
		return files.Open(ctx, name, opt)
	}
	info, err := d.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return files.Open(ctx, name, opt)
	}
	key := fileKey{name, path}
	if t := c.find(key, info); t != nil {
		files.Resume(ctx, t)
		return t, nil
	}
	opened := time.Now()
	t, err := files.Open(ctx, name, opt)
	if err == nil && opened.Sub(info.ModTime()) >= settled {
		c.keep(key, &cachedFile{table: t, info: info})
	}
	return t, err
}

// find returns the cached table of an unchanged file, or nil.
func (c *FileCache) find(key fileKey, info fs.FileInfo) catalog.Table {
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

// clear drops all entries.
func (c *FileCache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries = nil
}

// tryClear drops all entries and reports whether there were any. It does not wait for calls that
// use the cache.
func (c *FileCache) tryClear() bool {
	if !c.mu.TryLock() {
		return false
	}
	defer c.mu.Unlock()
	had := len(c.entries) > 0
	c.entries = nil
	return had
}

// keep adds an entry and evicts the least recently used one if there are too many.
func (c *FileCache) keep(key fileKey, e *cachedFile) {
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
