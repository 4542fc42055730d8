package slt

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"gsql"
	"gsql/sql/sqlerr"
	"gsql/sql/sqlmode"
)

// Find lists the sqllogictest files that paths name, in order: files themselves, and in folders
// every file ending in .test or .slt, or these with .gz.
func Find(paths []string) ([]string, error) {
	var files []string
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			files = append(files, p)
			continue
		}
		err = filepath.WalkDir(p, func(path string, d fs.DirEntry, err error) error {
			name := strings.TrimSuffix(path, ".gz")
			if err == nil && !d.IsDir() && (strings.HasSuffix(name, ".test") || strings.HasSuffix(name, ".slt")) {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// Load reads a file's records as they apply to engine.
func Load(path, engine string) ([]Record, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var in io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if in, err = gzip.NewReader(f); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	records, err := Parse(in, engine)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return records, nil
}

// Options specifies how RunFiles opens its databases.
type Options struct {
	Engine   string // "mysql"
	Parallel int    // files at once, at least 1
	// Config applies to every database. Without a sql_mode of its own it uses the default one
	// without ONLY_FULL_GROUP_BY, as the answers of the SQLite corpus require. With a Path, all files
	// use that folder one after another; it is closed and opened after each of them.
	Config gsql.Config
}

// config returns the configuration of the databases.
func (o *Options) config() gsql.Config {
	cfg := o.Config
	cfg.Variables = map[string]string{"sql_mode": (sqlmode.Default &^ sqlmode.OnlyFullGroupBy).String()}
	maps.Copy(cfg.Variables, o.Config.Variables)
	return cfg
}

// RunFiles runs each file on its own database, several at once, and calls report for each in the
// order of files.
func RunFiles(ctx context.Context, files []string, opt Options, report func(Report)) {
	reports := make([]chan Report, len(files))
	for i := range reports {
		reports[i] = make(chan Report, 1)
	}
	if opt.Config.Path != "" {
		opt.Parallel = 1
	}
	slots := make(chan struct{}, max(opt.Parallel, 1))
	var wg sync.WaitGroup
	go func() { // only runFile could panic, and it is guarded
		for i, file := range files {
			slots <- struct{}{}
			wg.Add(1)
			go func() {
				defer func() { <-slots; wg.Done() }()
				var r Report
				if err := sqlerr.Guard(func() error { r = runFile(ctx, file, opt); return nil }); err != nil {
					r = Report{File: file, Failed: 1, Err: err}
				}
				reports[i] <- r
			}()
		}
	}()
	for i := range files {
		report(<-reports[i])
	}
	wg.Wait()
}

func runFile(ctx context.Context, file string, opt Options) Report {
	records, err := Load(file, opt.Engine)
	if err != nil {
		return Report{File: file, Failed: 1, Err: err}
	}
	if opt.Config.Path != "" {
		return runInFolder(ctx, file, opt, records)
	}
	db, err := gsql.Open(opt.config())
	if err != nil {
		return Report{File: file, Failed: 1, Err: err}
	}
	defer db.Close()
	return Run(ctx, db, file, records)
}
