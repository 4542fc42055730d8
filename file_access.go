package gsql

import (
	"path/filepath"
	"slices"
	"strings"

	"gsql/sql/sqlerr"
	"gsql/storage/disk"
)

// FileAccess controls which files statements may read and write: file names in backquotes, LOAD
// DATA, IMPORT INTO and SELECT ... INTO OUTFILE. The zero value is AllFiles.
//
// Programs that run SQL from strangers should open their DB with NoFiles or FilesBelow. A file
// outside is then refused with error 1290, in the same way whether it exists or not, however it is
// named: through .., symbolic links or patterns, or by a link put in its place while it is being
// opened. Statements cannot change the access, nor the directory of temporary files. Hard links and
// file systems mounted within a folder count as part of it.
type FileAccess struct {
	limited bool
	folders []string
}

// AllFiles lets statements read and write whatever the process may.
func AllFiles() FileAccess { return FileAccess{} }

// NoFiles denies statements access to all files.
func NoFiles() FileAccess { return FileAccess{limited: true} }

// FilesBelow lets statements read and write files in the folders and below them. The folders must
// exist when Open is called; relative names start from the process's working directory.
func FilesBelow(folders ...string) FileAccess {
	return FileAccess{limited: true, folders: slices.Clone(folders)}
}

// ParseFileAccess parses what String returns, the form used in data source names: "all", "none", or
// folders separated as in the environment variable PATH. Folders with these names are written
// "./all" and "./none".
func ParseFileAccess(text string) (FileAccess, error) {
	switch text {
	case "all":
		return AllFiles(), nil
	case "none":
		return NoFiles(), nil
	}
	folders := filepath.SplitList(text)
	if len(folders) == 0 || slices.Contains(folders, "") {
		return FileAccess{}, sqlerr.New(sqlerr.WrongValueForVar, "Variable 'files' can't be set to the value of '%s'", text).
			WithHint("It takes all, none, or folders separated by '%c'.", filepath.ListSeparator)
	}
	return FilesBelow(folders...), nil
}

// String returns the access in the form that ParseFileAccess reads.
func (a FileAccess) String() string {
	switch {
	case !a.limited:
		return "all"
	case len(a.folders) == 0:
		return "none"
	case len(a.folders) == 1 && (a.folders[0] == "all" || a.folders[0] == "none"):
		return "." + string(filepath.Separator) + a.folders[0]
	}
	return strings.Join(a.folders, string(filepath.ListSeparator))
}

// open opens the folders. The error is 1231 for a folder that does not exist.
func (a FileAccess) open() (*disk.Disk, error) {
	if !a.limited {
		return nil, nil
	}
	d, err := disk.Below(a.folders)
	if err != nil {
		return nil, sqlerr.Wrap(sqlerr.WrongValueForVar, err, "Variable 'files' can't be set to the value of '%s'", a).
			WithHint("Each folder must exist when the database is opened.")
	}
	return d, nil
}
