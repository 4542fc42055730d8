package record

import (
	"errors"
	"os"
	"path/filepath"
	"runtime/pprof"
)

// Profile starts a processor profile of this process in a new file, and creates its folder if that is missing. stop
// ends the profile and must be called. An empty path profiles nothing.
func Profile(path string) (stop func() error, err error) {
	if path == "" {
		return func() error { return nil }, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() error {
		pprof.StopCPUProfile()
		return f.Close()
	}, nil
}
