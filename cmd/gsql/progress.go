package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progressAfter is how long a statement runs before its progress is shown.
const progressAfter = time.Second

// progress shows the number of rows read, and then that of megabytes written, on standard error while a
// statement takes long, if that is a terminal.
type progress struct {
	quit chan struct{}
	done chan struct{}
	once sync.Once
}

func (sh *shell) startProgress() *progress {
	p := &progress{quit: make(chan struct{}), done: make(chan struct{})}
	if !sh.footer || !term.IsTerminal(int(sh.errw.Fd())) {
		close(p.done)
		return p
	}
	go p.run(sh)
	return p
}

func (p *progress) run(sh *shell) {
	defer close(p.done)
	select {
	case <-p.quit:
		return
	case <-time.After(progressAfter):
	}
	bar := progressbar.NewOptions64(-1,
		progressbar.OptionSetWriter(sh.errw), progressbar.OptionSetDescription("running, Ctrl-C cancels"),
		progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionSetItsString("rows"),
		progressbar.OptionSpinnerType(14), progressbar.OptionClearOnFinish())
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-p.quit:
			_ = bar.Finish() // display only
			return
		case <-tick.C:
			if done, total := sh.s.Writing(); total > 0 {
				bar.Describe(fmt.Sprintf("writing, %d of %d MB, Ctrl-C cancels", done>>20, total>>20))
			}
			_ = bar.Set64(sh.s.RowsRead())
		}
	}
}

// stop removes the display. It may be called more than once.
func (p *progress) stop() {
	p.once.Do(func() { close(p.quit) })
	<-p.done
}

// afterProgress removes the display before it writes.
type afterProgress struct {
	out io.Writer
	p   *progress
}

// Write implements io.Writer.
func (w *afterProgress) Write(b []byte) (int, error) {
	w.p.stop()
	return w.out.Write(b)
}
