// Package progress shows at a terminal how far a statement is: the estimated percentage and the time that is left.
package progress

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"gsql"
	"gsql/sql/sqlerr"
)

// Options specifies what is shown.
type Options struct {
	After time.Duration        // how long a statement runs before anything is shown
	Every time.Duration        // between updates
	State func() gsql.Progress // is called from another goroutine
	// Commits is set if the statement ends with a commit that writes files. It then counts for a part of the work.
	Commits bool
	// Parts is set if the statement runs several queries, so that the state of one says nothing about the whole.
	Parts bool
}

// queryShare is the share of the work before the commit.
const queryShare = 0.6

// most is the largest share that is shown before the statement has ended.
const most = 0.99

// Display shows the progress of a statement until Stop is called. The nil Display shows nothing.
type Display struct {
	out     io.Writer
	opt     Options
	quit    chan struct{}
	done    chan struct{}
	once    sync.Once
	started time.Time
	reached float64 // the largest share so far
	pace    pace
	planned bool // a query has run, and the commit follows
	bar     *progressbar.ProgressBar
	percent bool // bar shows a percentage
}

// Start begins to show the progress of a statement that starts now.
func Start(out io.Writer, opt Options) *Display {
	d := &Display{out: out, opt: opt, quit: make(chan struct{}), done: make(chan struct{}), started: time.Now()}
	go func() {
		defer close(d.done)
		_ = sqlerr.Guard(d.run) // display only
	}()
	return d
}

// Stop removes the display. It may be called more than once.
func (d *Display) Stop() {
	if d == nil {
		return
	}
	d.once.Do(func() { close(d.quit) })
	<-d.done
}

func (d *Display) run() error {
	wait := time.NewTimer(d.opt.After)
	defer wait.Stop()
	for {
		select {
		case <-d.quit:
			if d.bar != nil {
				_ = d.bar.Clear() // display only
			}
			return nil
		case <-wait.C:
			d.show(d.opt.State(), time.Since(d.started))
			wait.Reset(d.opt.Every)
		}
	}
}

// show shows a state that the statement has after a time.
func (d *Display) show(p gsql.Progress, elapsed time.Duration) {
	share := d.share(p)
	if known := share > 0; d.bar == nil || known != d.percent {
		d.restart(known)
	}
	left, known := d.pace.left(share, elapsed)
	d.bar.Describe(describe(p, left, known))
	if d.percent {
		_ = d.bar.Set(int(share * 100)) // display only
		return
	}
	_ = d.bar.Set64(p.RowsRead)
}

// share returns how much of the work has been done, and 0 if that is unknown. It never falls.
func (d *Display) share(p gsql.Progress) float64 {
	if d.opt.Parts {
		return 0
	}
	d.planned = d.planned || p.Done > 0
	share, before := p.Done, 0.0
	if d.opt.Commits {
		share *= queryShare
	}
	if p.ToWrite > 0 {
		if d.planned {
			before = queryShare
		}
		share = before + (1-before)*float64(p.Written)/float64(p.ToWrite)
	}
	d.reached = max(d.reached, min(share, most))
	return d.reached
}

// restart replaces the bar by one with a percentage, or by one that counts rows.
func (d *Display) restart(percent bool) {
	if d.bar != nil {
		_ = d.bar.Clear() // display only
	}
	opts := []progressbar.Option{progressbar.OptionSetWriter(d.out), progressbar.OptionClearOnFinish(), progressbar.OptionSetElapsedTime(false),
		progressbar.OptionSetPredictTime(false), progressbar.OptionUseANSICodes(true), progressbar.OptionSetWidth(20)}
	if d.percent = percent; percent {
		opts = append(opts, progressbar.OptionShowDescriptionAtLineEnd())
		d.bar = progressbar.NewOptions(100, opts...)
		return
	}
	d.bar = progressbar.NewOptions64(-1, append(opts, progressbar.OptionShowCount(), progressbar.OptionShowIts(),
		progressbar.OptionSetItsString("rows"), progressbar.OptionSpinnerType(14))...)
}

// describe returns the text beside a bar. The time that is left may be unknown.
func describe(p gsql.Progress, left time.Duration, known bool) string {
	text := "Ctrl-C cancels"
	if p.Spilled > 0 {
		text = fmt.Sprintf("%d MB spilled, ", p.Spilled>>20) + text
	}
	if p.ToWrite > 0 {
		text = fmt.Sprintf("writing, %d of %d MB, ", p.Written>>20, p.ToWrite>>20) + text
	}
	if known {
		text = "about " + rounded(left) + " left, " + text
	}
	return text
}

// rounded formats a duration with the precision of an estimate.
func rounded(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%d s", int(d.Seconds()+1))
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()/5+1)*5)
	case d < 90*time.Minute:
		return fmt.Sprintf("%d min", int(d.Minutes()+1))
	}
	return fmt.Sprintf("%d h", int(d.Hours()+1))
}

// Before returns a writer that removes the display before it writes to out.
func (d *Display) Before(out io.Writer) io.Writer { return &before{out, d} }

type before struct {
	out io.Writer
	d   *Display
}

// Write implements io.Writer.
func (w *before) Write(b []byte) (int, error) {
	w.d.Stop()
	return w.out.Write(b)
}
