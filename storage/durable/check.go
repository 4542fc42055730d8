package durable

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gsql/sql/catalog"
	"gsql/storage/segfile"
	"gsql/storage/vfs"
)

// Report is what Check has found.
type Report struct {
	Commits  uint64 // number of the last commit
	Tables   int
	Rows     int64
	Segments int
	Files    int      // segment files in use
	Damage   []string // what is damaged or missing, one sentence each
	Notes    []string // what a crash has left, which the next open removes
}

// Check reads all files of a directory, verifies every checksum and that everything that refers to
// a file fits it. It changes nothing, and may run beside a writer. The error is that of a directory
// that cannot be examined at all.
func Check(ctx context.Context, fs vfs.FS) (*Report, error) {
	d := &Directory{fs: fs, Files: segfile.New(fs, nil, 0), pending: map[uint64]bool{}}
	if err := d.takeLock(true); err != nil {
		return nil, err
	}
	defer d.Close()
	out := &Report{}
	r, err := d.recover(Options{ReadOnly: true})
	if err != nil && len(r.damages) == 0 && !r.damaged(err) {
		return nil, err
	}
	for _, err := range r.damages {
		out.Damage = append(out.Damage, err.Error())
	}
	out.Notes = r.notes
	r.use()
	out.describe(r)
	return out, out.files(ctx, r)
}

// describe counts what there is and compares it with the descriptions of segments.
func (out *Report) describe(r *recovery) {
	out.Commits, out.Tables = r.catalog.Sequence, len(r.catalog.Tables)
	for _, t := range r.catalog.tables() {
		out.Rows += t.Count()
		out.Segments += len(t.Segs)
		for i := range t.Segs {
			if s := &t.Segs[i]; len(s.Cols) != len(t.Schema.Columns) {
				out.Damage = append(out.Damage, fmt.Sprintf("table %s.%s: segment %d has %d columns instead of %d", t.DB, t.Name, i, len(s.Cols), len(t.Schema.Columns)))
			}
		}
	}
}

// files verifies the segment files and notes those that nothing refers to. If the catalog is not
// complete, it verifies these as well.
func (out *Report) files(ctx context.Context, r *recovery) error {
	blocks := r.blocks()
	out.Files = len(r.used)
	for _, n := range r.files[segmentName] {
		if !r.used[n] {
			out.Notes = append(out.Notes, fmt.Sprintf("%s belongs to no table", segmentFile(n)))
		}
		if !r.used[n] && len(r.damages) == 0 {
			continue
		}
		damage := r.d.Files.Check(ctx, n, blocks[n]...)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for _, err := range damage {
			out.Damage = append(out.Damage, err.Error())
		}
	}
	for _, n := range slices.Sorted(maps.Keys(r.used)) {
		if !r.missing[n] && !r.hasFile(n) {
			out.Damage = append(out.Damage, fmt.Sprintf("%s is missing", segmentFile(n)))
		}
	}
	return nil
}

// blocks returns the blocks that the catalog refers to, by number of the file, and has errors of
// reading them name their tables.
func (r *recovery) blocks() map[uint64][]segfile.Ref {
	blocks, owners := map[uint64][]segfile.Ref{}, map[segfile.Ref]string{}
	for _, t := range r.catalog.tables() {
		for i := range t.Segs {
			segfile.Blocks(t.Segs[i].Segment, func(col int, ref segfile.Ref) {
				if owners[ref] == "" {
					blocks[ref.File] = append(blocks[ref.File], ref)
					owners[ref] = Owner(t.DB, t.Name, t.Schema, col)
				}
			})
		}
	}
	r.d.Files.SetOwner(func(ref segfile.Ref) string { return owners[ref] })
	return blocks
}

// Owner says what a block of a table's column is, as segfile.Files.SetOwner wants it.
func Owner(db, table string, schema *catalog.Schema, col int) string {
	return fmt.Sprintf("column '%s' of table '%s.%s'", schema.Columns[col].Name, db, table)
}

// hasFile reports whether there is a segment file.
func (r *recovery) hasFile(n uint64) bool {
	_, found := slices.BinarySearch(r.files[segmentName], n)
	return found
}

// findMissing notes the segment files that tables need and that are not there.
func (r *recovery) findMissing() error {
	lost := func() (out []uint64) {
		for n := range r.used {
			if !r.hasFile(n) {
				out = append(out, n)
			}
		}
		return out
	}
	if len(lost()) == 0 {
		return nil
	}
	if err := r.list(); err != nil { // a writer may have created them since
		return err
	}
	tables := map[uint64][]string{}
	for _, t := range r.catalog.tables() {
		for i := range t.Segs {
			for _, n := range segfile.Numbers(t.Segs[i].Segment) {
				if name := t.DB + "." + t.Name; !r.hasFile(n) && !slices.Contains(tables[n], name) {
					tables[n] = append(tables[n], name)
				}
			}
		}
	}
	for _, n := range slices.Sorted(maps.Keys(tables)) {
		r.missing[n] = true
		r.damages = append(r.damages, &segfile.Damaged{File: r.d.path(segmentFile(n)), Reason: "it is missing; it has rows of table " + strings.Join(tables[n], ", ")})
	}
	return nil
}
