package segfile

import (
	"bytes"
	"errors"
	"math/rand"
	"syscall"
	"testing"

	"golang.org/x/sync/errgroup"

	"gsql/internal/mem"
	"gsql/storage/vfs/crashfs"
)

// blocks adds blocks of many sizes to a writer from several goroutines and returns them with their places.
func blocks(w *Writer, seed int64) (texts map[Ref][]byte, err error) {
	type placed struct {
		r    Ref
		text []byte
	}
	lists := make([][]placed, 6)
	var g errgroup.Group
	for i := range lists {
		g.Go(func() error {
			rng := rand.New(rand.NewSource(seed + int64(i)))
			for range 40 {
				size := rng.Intn(1 << (4 + rng.Intn(15)))
				text := append(make([]byte, 0, size+checkBytes), columnBlock)
				for len(text) < size {
					text = append(text, byte(rng.Intn(256)))
				}
				r, err := w.out.add(w.file.number, columnBlock, text)
				if err != nil {
					return err
				}
				lists[i] = append(lists[i], placed{r, text})
			}
			return nil
		})
	}
	err = g.Wait()
	texts = map[Ref][]byte{}
	for _, list := range lists {
		for _, p := range list {
			texts[p.r] = p.text
		}
	}
	return texts, err
}

// TestOutput reads blocks that several goroutines have added, before the file is complete and afterwards.
func TestOutput(t *testing.T) {
	for _, account := range []*mem.Account{nil, mem.NewRoot("test", 8<<20)} {
		before := mem.Mappings()
		f := New(crashfs.New(), account, 0)
		w, err := f.NewWriter(7)
		must(t, err)
		texts, err := blocks(w, 1)
		must(t, err)
		check := func() {
			for r, text := range texts {
				must(t, w.file.block(r, func(block []byte) error {
					if !bytes.Equal(block, text) {
						t.Errorf("%d bytes at %d are others", len(text), r.Offset)
					}
					return nil
				}))
			}
		}
		check()
		must(t, w.Finish())
		check()
		must(t, errors.Join(f.Check(t.Context(), 7)...))
		if n := mem.Mappings(); n != before {
			t.Errorf("%d buffers are left", n-before)
		}
	}
}

// TestOutputFails has writing fail at some operation and from then on: somebody gets the error, and nothing is left.
func TestOutputFails(t *testing.T) {
	before := mem.Mappings()
	for op := 2; op < 120; op += 1 + op/3 {
		fs := crashfs.New()
		fs.Fail(op, syscall.EIO, true)
		f := New(fs, nil, 0)
		w, err := f.NewWriter(7)
		if err == nil {
			if _, err = blocks(w, int64(op)); err == nil {
				err = w.Finish()
			}
			if err != nil && !errors.Is(w.Abort(), syscall.EIO) { // the file cannot be removed either
				t.Errorf("operation %d: aborting succeeds", op)
			}
		}
		if !errors.Is(err, syscall.EIO) && (err != nil || fs.Ops() >= op) {
			t.Errorf("operation %d: %v", op, err)
		}
	}
	if n := mem.Mappings(); n != before {
		t.Errorf("%d buffers are left", n-before)
	}
}
