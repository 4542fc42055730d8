package durable

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"gsql/storage/chainlog"
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
	var damage *chainlog.Damaged
	switch {
	case errors.As(err, &damage):
		out.Damage = append(out.Damage, err.Error())
	case err != nil:
		return nil, err
	case r.damage != nil:
		out.Damage = append(out.Damage, r.damage.Error())
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

// files verifies the segment files and notes those that nothing refers to.
func (out *Report) files(ctx context.Context, r *recovery) error {
	out.Files = len(r.used)
	for _, n := range slices.Sorted(maps.Keys(r.used)) {
		if !slices.Contains(r.files[segmentName], n) {
			out.Damage = append(out.Damage, fmt.Sprintf("%s is missing", segmentFile(n)))
			continue
		}
		if err := r.d.Files.Check(ctx, n); ctx.Err() != nil {
			return ctx.Err()
		} else if err != nil {
			out.Damage = append(out.Damage, err.Error())
		}
	}
	for _, n := range r.files[segmentName] {
		if !r.used[n] {
			out.Notes = append(out.Notes, fmt.Sprintf("%s belongs to no table", segmentFile(n)))
		}
	}
	return nil
}
