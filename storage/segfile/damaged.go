package segfile

import (
	"errors"
	"fmt"

	"gsql/sql/sqlerr"
)

// Damaged reports that a file is not as it was written.
type Damaged struct {
	File   string // path
	Offset int64
	Reason string
}

// Error names the file and the place.
func (d *Damaged) Error() string {
	return fmt.Sprintf("segment file %s is damaged at byte %d: %s", d.File, d.Offset, d.Reason)
}

// damaged returns error 1033, which wraps a *Damaged.
func damaged(file string, offset int64, reason string, args ...any) error {
	d := &Damaged{File: file, Offset: offset, Reason: fmt.Sprintf(reason, args...)}
	return &sqlerr.Error{Code: sqlerr.FileCorrupt, Msg: "Incorrect information in file: " + d.Error(), Pos: -1, Err: d}
}

func readError(err error, file string, offset int64) error {
	return sqlerr.Wrap(sqlerr.ErrorOnRead, err, "Error reading file '%s' at byte %d", file, offset)
}

func writeError(err error, file string) error {
	return sqlerr.Wrap(sqlerr.ErrorOnWrite, err, "Error writing file '%s'", file)
}

// attributed adds to an error of reading a block whose block it is.
func (f *Files) attributed(err error, r Ref) error {
	var e *sqlerr.Error
	if err == nil || f.owner == nil || !errors.As(err, &e) || e.Code != sqlerr.FileCorrupt && e.Code != sqlerr.ErrorOnRead {
		return err
	}
	owner := f.owner(r)
	if owner == "" {
		return err
	}
	named := *e
	named.Msg = e.Msg + "; it has " + owner
	return &named
}
