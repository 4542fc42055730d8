package database

import (
	"path/filepath"
	"strings"

	"gsql/sql/sqlerr"
	"gsql/sql/sysvar"
)

// FileVariable returns the value of a system variable that depends on the access to files. notNull
// is false for NULL; ok is false for all other variables.
func (db *DB) FileVariable(name string) (value string, notNull, ok bool) {
	nothing := db.noFiles()
	switch name {
	case "secure_file_priv":
		return db.secureFilePriv(), !nothing, true
	case "datadir":
		return db.Store.Path(), true, true
	case "local_infile":
		if value, ok = (*db.globals.Load())[name]; !ok {
			value, _ = sysvar.Default(name)
		}
		if nothing {
			value = "0"
		}
		return value, true, true
	}
	return "", false, false
}

// noFiles reports whether statements may use no files at all.
func (db *DB) noFiles() bool { return db.Disk.Confined() && len(db.Disk.Folders()) == 0 }

// secureFilePriv formats the folders as MySQL formats its single one, "" for all files.
func (db *DB) secureFilePriv() string {
	const separator = string(filepath.Separator)
	folders := db.Disk.Folders()
	for i, f := range folders {
		folders[i] = strings.TrimSuffix(f, separator) + separator
	}
	return strings.Join(folders, string(filepath.ListSeparator))
}

// CheckFileSetting returns error 1290 for a setting that would let a statement with limited access
// to files write rows elsewhere, or read files that the program denies it.
func (db *DB) CheckFileSetting(v *sysvar.Var, value string) error {
	writes := v.Name == "gsql_temp_directory"
	reads := v.Name == "local_infile" && value != "0"
	if !db.Disk.Confined() || !writes && !reads || value == db.Global(v) {
		return nil
	}
	return sqlerr.New(sqlerr.OptionPreventsStatement, "The gsql server is running with the --secure-file-priv option so it cannot execute this statement").
		WithHint("Access to files is limited, so '%s' can only be set when the database is opened (Config.Variables).", v.Name)
}

// CheckLocalInfile returns error 3948 if LOAD DATA LOCAL is off. A DB without access to files
// reports nothing here: reading the file then fails like reading any other.
func (db *DB) CheckLocalInfile() error {
	if value, _, _ := db.FileVariable("local_infile"); value == "1" || db.noFiles() {
		return nil
	}
	return sqlerr.New(sqlerr.LocalInfileDisabled, "Loading local data is disabled; this must be enabled on both the client and server sides").
		WithHint("SET GLOBAL local_infile = ON allows it, unless access to files is limited.")
}
