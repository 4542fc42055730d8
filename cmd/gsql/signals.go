package main

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// statusTerminated is the exit status after SIGTERM, as shells count it.
	statusTerminated = 128 + 15
	// grace is the time that a statement has to end after SIGTERM.
	grace = 2 * time.Second
)

// watch waits for signals while a statement runs.
type watch struct {
	signals    chan os.Signal
	done       chan struct{}
	cancel     context.CancelFunc
	terminated atomic.Bool
}

// interruptible returns a context that Ctrl-C and SIGTERM cancel until the watch is stopped. After
// SIGTERM the process ends even if the statement does not.
func interruptible() (context.Context, *watch) {
	ctx, cancel := context.WithCancel(context.Background())
	w := &watch{signals: make(chan os.Signal, 1), done: make(chan struct{}), cancel: cancel}
	signal.Notify(w.signals, os.Interrupt, syscall.SIGTERM)
	go w.wait()
	return ctx, w
}

func (w *watch) wait() {
	for {
		select {
		case s := <-w.signals:
			w.cancel()
			if s == syscall.SIGTERM && w.terminated.CompareAndSwap(false, true) {
				time.AfterFunc(grace, w.exit)
			}
		case <-w.done:
			return
		}
	}
}

// exit ends the process unless the statement has ended.
func (w *watch) exit() {
	select {
	case <-w.done:
	default:
		os.Exit(statusTerminated)
	}
}

// stop ends the watch and reports whether SIGTERM has arrived.
func (w *watch) stop() (terminated bool) {
	signal.Stop(w.signals)
	close(w.done)
	w.cancel()
	return w.terminated.Load()
}
