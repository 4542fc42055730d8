package gpu

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestStagingPoolReusesBuffers(t *testing.T) {
	dev := &memoryDevice{}
	p := NewStagingPool(dev, 4096, 2)
	ctx := context.Background()
	first, err := p.Get(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		p.Put(first)
		again, err := p.Get(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if again != first {
			t.Fatal("a returned buffer was not reused")
		}
	}
	if dev.pins != 1 || p.Pinned() != 4096 {
		t.Errorf("%d buffers pinned, %d bytes, want one of 4096", dev.pins, p.Pinned())
	}
	p.Put(first)
	if err := p.Close(); err != nil || dev.pinned != 0 {
		t.Errorf("close: %v, %d buffers still pinned", err, dev.pinned)
	}
}

func TestStagingPoolWaitsForAReturnedBuffer(t *testing.T) {
	p := NewStagingPool(&memoryDevice{}, 16, 1)
	held, err := p.Get(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if _, err := p.Get(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("error %v, want the deadline's", err)
	}
	got := make(chan *Staging)
	go func() {
		b, _ := p.Get(context.Background())
		got <- b
	}()
	p.Put(held)
	if b := <-got; b != held {
		t.Error("the waiting caller got another buffer")
	}
}

func TestStagingPoolTriesAgainAfterARefusal(t *testing.T) {
	dev := &memoryDevice{refusePins: true}
	p := NewStagingPool(dev, 16, 1)
	if _, err := p.Get(context.Background()); err == nil {
		t.Fatal("no error where pinning is refused")
	}
	dev.refusePins = false
	if _, err := p.Get(context.Background()); err != nil {
		t.Errorf("after the refusal: %v", err)
	}
}
