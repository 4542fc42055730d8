//go:build sim || cuda

package engine_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"gsql/gpu"
	"gsql/gpu/engine"
	"gsql/gpu/enginetest"
)

// TestDownload copies pieces of many lengths, together longer than all pinned buffers.
func TestDownload(t *testing.T) {
	const whole = 80 << 20
	task := enginetest.Begin(t, enginetest.New(t, 96<<20))
	want := make([]byte, whole)
	for i := range want {
		want[i] = byte(i ^ i>>9 ^ i>>17)
	}
	from := enginetest.Upload(t, task, want)
	got := make([]byte, whole)
	var pieces []engine.Piece
	for at, n := 0, 1; at < whole; at, n = at+n, n*3+1 {
		n = min(n, whole-at)
		pieces = append(pieces, engine.Piece{To: got[at : at+n], From: from + gpu.Ptr(at)})
	}
	if err := task.Download(pieces...); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("the copy differs")
	}
	if err := task.Download(); err != nil {
		t.Error(err)
	}
}

func TestDownloadCancelled(t *testing.T) {
	task := enginetest.Begin(t, enginetest.New(t, 1<<20))
	from := enginetest.Upload(t, task, make([]byte, 100))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	task.Ctx = ctx
	if err := task.Download(engine.Piece{To: make([]byte, 100), From: from}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want cancellation", err)
	}
}
