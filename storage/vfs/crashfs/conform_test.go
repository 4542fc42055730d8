package crashfs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"testing"

	"gsql/storage/vfs"
)

// TestLikeTheSystem does the same random things with a folder in memory and one of the operating
// system and compares what they return.
func TestLikeTheSystem(t *testing.T) {
	histories := uint64(40)
	if testing.Short() {
		histories = 5
	}
	for seed := range histories {
		real, err := vfs.Dir(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		sides := []*side{{fs: New()}, {fs: real}}
		for step := range 150 {
			var said [2]string
			for i, s := range sides {
				said[i] = s.step(rand.New(rand.NewPCG(seed, uint64(step))))
			}
			if said[0] != said[1] {
				t.Fatalf("seed %d, step %d: in memory %s; on disk %s", seed, step, said[0], said[1])
			}
		}
		for _, s := range sides {
			for _, f := range s.open {
				f.Close()
			}
		}
	}
}

// side is one of the folders that are compared.
type side struct {
	fs   vfs.FS
	open []vfs.File
}

// step does one thing and describes the result.
func (s *side) step(r *rand.Rand) string {
	names := []string{"a", "b", "c", "d", "..", "x/y"}
	name, other := names[r.IntN(len(names))], names[r.IntN(4)]
	what := r.IntN(16)
	switch what {
	case 0, 1:
		f, err := s.fs.Create(name)
		return s.opened("create", f, err)
	case 2:
		f, err := s.fs.Open(name)
		return s.opened("open", f, err)
	case 3:
		f, err := s.fs.OpenWritable(name)
		return s.opened("open writable", f, err)
	case 4:
		return "remove " + class(s.fs.Remove(name))
	case 5:
		return "rename " + class(s.fs.Rename(name, other))
	case 6:
		list, err := s.fs.List()
		return fmt.Sprint("list ", list, class(err))
	case 7:
		return "syncdir " + class(s.fs.SyncDir())
	}
	if len(s.open) == 0 {
		return "nothing is open"
	}
	f := s.open[r.IntN(len(s.open))]
	switch what {
	case 8:
		return "truncate " + class(f.Truncate(int64(r.IntN(10000))))
	case 9:
		return "sync " + class(f.Sync())
	case 10:
		size, err := f.Size()
		return fmt.Sprint("size ", size, class(err))
	case 11:
		return "close " + class(f.Close())
	case 12, 13:
		n, err := f.WriteAt(bytes.Repeat([]byte{byte(r.IntN(256))}, r.IntN(6000)), int64(r.IntN(10000)))
		return fmt.Sprint("write ", n, class(err))
	}
	b := make([]byte, r.IntN(6000)+1)
	n, err := f.ReadAt(b, int64(r.IntN(10000)))
	return fmt.Sprint("read ", n, b[:n], class(err))
}

// opened keeps a file and describes the result of opening it.
func (s *side) opened(what string, f vfs.File, err error) string {
	if err != nil {
		return what + class(err)
	}
	s.open = append(s.open, f)
	return what + f.Name()
}

// class returns the kind of an error.
func class(err error) string {
	if err == nil || err == io.EOF {
		return fmt.Sprint(err)
	}
	for _, kind := range []error{fs.ErrNotExist, fs.ErrExist, fs.ErrClosed, fs.ErrInvalid} {
		if errors.Is(err, kind) {
			return kind.Error()
		}
	}
	return "another error"
}
