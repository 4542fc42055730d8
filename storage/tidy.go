package storage

import (
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/storage/contents"
	"gsql/storage/segfile"
	"gsql/storage/segment"
)

// What tidy rewrites, the bytes of segments that it rewrites in one transaction, and those that it rewrites a
// second.
const (
	tidySegments = 8
	tidyWasted   = 4
	tidyBytes    = 64 << 20
	tidyRate     = 64 << 20
)

// A file is sparse if it has sparseBytes and no more than one byte of so many is in use. Its space is freed
// by rewriting what is.
const (
	sparseBytes = 64 << 10
	sparsePart  = 2
)

// tidy merges the small segments of tables, which reopening and small loads leave, removes deleted rows
// where they take much space, and rewrites what is left in sparse files, slowly enough to leave the disk to
// others. Tables that change meanwhile are left for the next time.
func (s *Store) tidy(ctx context.Context) {
	m := contents.Merging{Least: tidySegments, Wasted: tidyWasted, Also: s.sparse(), Most: tidyBytes}
	for _, o := range s.state.Load().names.permanentObjects() {
		for more := o.table != nil; more && ctx.Err() == nil; {
			var bytes int64
			if bytes, more = s.tidyTable(ctx, o.table, m); bytes == 0 {
				break
			}
			select {
			case <-ctx.Done():
			case <-time.After(time.Duration(bytes) * time.Second / tidyRate):
			}
		}
	}
}

// tidyTable rewrites some segments of a table. It returns their bytes and whether there may be more.
func (s *Store) tidyTable(ctx context.Context, t *table, m contents.Merging) (bytes int64, more bool) {
	tx := s.Begin()
	defer tx.Rollback()
	v := tx.base.version(t)
	if v == nil {
		return 0, false
	}
	bytes, err := tx.DDL().merge(ctx, v, m)
	if err != nil || bytes == 0 { // the store is read only, or there is nothing to do
		return 0, false
	}
	err = tx.Commit() // error 1213 if the table has changed
	return bytes, err == nil && bytes >= m.Most
}

// sparse returns whether a segment has columns in a sparse file.
func (s *Store) sparse() func(*segment.Segment) bool {
	files := s.sparseFiles()
	return func(seg *segment.Segment) bool {
		return slices.ContainsFunc(segfile.Numbers(seg), func(n uint64) bool { return files[n] })
	}
}

// sparseFiles returns the segment files of which the last checkpoint and the committed state need little.
func (s *Store) sparseFiles() map[uint64]bool {
	out := map[uint64]bool{}
	if s.journal == nil {
		return out
	}
	for n, used := range s.used() {
		size, err := s.journal.dir.Files.Size(n)
		out[n] = err == nil && size >= sparseBytes && used <= size/sparsePart
	}
	return out
}

// used returns how many bytes of each segment file are needed.
func (s *Store) used() map[uint64]int64 {
	used := map[uint64]int64{}
	if tails := s.journal.tails.Load(); tails != nil {
		used = maps.Clone(*tails)
	}
	sketches := map[segfile.Ref]bool{}
	for _, page := range s.state.Load().pages {
		for _, v := range page {
			if v != nil {
				addUsed(used, v.Segs, sketches)
			}
		}
	}
	return used
}

// addUsed adds the bytes that segments have in files. Columns of a load share sketches.
func addUsed(used map[uint64]int64, segs []segment.Sealed, sketches map[segfile.Ref]bool) {
	for i := range segs {
		last := -1
		segfile.Blocks(segs[i].Segment, func(col int, r segfile.Ref) {
			sketch := col == last // it follows the column
			if last = col; sketch && sketches[r] {
				return
			}
			if sketch {
				sketches[r] = true
			}
			used[r.File] += r.Length
		})
	}
}

// Optimize rewrites segments with deleted rows, merges those that have room in one, and rewrites those in
// sparse files and those that are not compressed as the table says. The table's rows and their ids stay. The transaction must not have inserted rows into the table; its commit
// fails with error 1213 if others have changed the table.
func (tx DDL) Optimize(ctx context.Context, tbl catalog.Table) error {
	sparse, by := tx.store.sparse(), tbl.Schema().Compression
	also := func(seg *segment.Segment) bool { return sparse(seg) || !segfile.Compressed(seg, by) }
	_, err := tx.merge(ctx, tbl, contents.Merging{Least: 2, Wasted: math.MaxInt32, Also: also})
	return err
}

// merge rewrites segments as contents.Rows.Merge says, and returns how many bytes of them. In a directory, new
// segments go to files at once.
func (tx DDL) merge(ctx context.Context, tbl catalog.Table, m contents.Merging) (bytes int64, err error) {
	w, err := tx.target(tbl)
	if err != nil {
		return 0, err
	}
	if w.view.own != nil {
		return 0, sqlerr.Internal("a table is optimized in a transaction that has inserted rows")
	}
	next := w.view.successor()
	if files := spoolOf(tx.Tx); files != nil && !temporary(next.db) {
		m.Keep = func(seg *segment.Segment) (*segment.Segment, error) { return files.add(next.schema, seg) }
	}
	bytes, err = next.Rows.Merge(ctx, next.shape(), m)
	if err != nil || bytes == 0 {
		return 0, err
	}
	w.view, w.altered = next, true
	return bytes, nil
}
