// Package edit reads statements at a terminal. A statement may have several lines, which are edited, kept in the history
// and searched as one. The library readline decodes keys and edits the text; this package draws it, since the library
// takes every text for a single line, and keeps the history for the same reason.
package edit

import (
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/chzyer/readline"
)

// Options specifies an Editor.
type Options struct {
	In      io.Reader                  // nil is standard input
	Typed   []byte                     // what was read from In before
	Out     io.Writer                  // nil is standard output
	Size    func() (width, height int) // of the terminal
	History string                     // the file that keeps the history; "" for none
	Entries int                        // the most entries of the history
	// Complete returns the possible completions of what is before pos, without what has been typed of them, and what
	// has been typed.
	Complete func(text []rune, pos int) (endings [][]rune, typed []rune)
	// Ends reports whether Enter ends a text. If it does not, Enter begins another line.
	Ends func(text string) bool
	// Style calls yield for parts of a text that follow one another, with the escape sequence that selects their style.
	Style func(text []rune, yield func(start, end int, style string))
	// Raw and Restore switch the terminal to single keys and back. They are set by tests; nil is the standard input.
	Raw, Restore func() error
}

// ErrInterrupt is returned by Read if Ctrl-C has discarded the text.
var ErrInterrupt = errors.New("interrupted")

// farewell is shown for Ctrl-D.
const farewell = ".quit"

// Editor reads texts. Its methods may be called from one goroutine, and Show also while Complete runs.
type Editor struct {
	opt  Options
	rl   *readline.Instance
	in   *input
	mu   sync.Mutex // guards what follows
	hist *history
	screen
	act    action // of the key that has been read; nil leaves the key to the library
	search *search
	killed []rune
	before []rune // the text when a key that ends it was read
	ending bool   // such a key has been read
}

// New returns an editor. Close must be called.
func New(opt Options) (*Editor, error) {
	if opt.In == nil {
		opt.In = readline.Stdin // on Windows, it turns events of the console into keys
	}
	if opt.Out == nil {
		opt.Out = readline.Stdout // on Windows, it knows the sequences that the console lacks
	}
	e := &Editor{opt: opt, hist: newHistory(opt.History, opt.Entries)}
	e.screen = screen{out: opt.Out, size: opt.Size}
	e.in = &input{from: opt.In, buf: opt.Typed, idle: e.flush}
	var err error
	e.rl, err = readline.NewEx(&readline.Config{
		Stdin:               readline.NewCancelableStdin(e.in),
		Stdout:              output{e},
		Stderr:              output{e},
		AutoComplete:        completer{e},
		Painter:             painter{e},
		Listener:            readline.FuncListener(e.apply),
		FuncFilterInputRune: e.filter,
		FuncGetWidth:        func() int { return unlimited },
		FuncIsTerminal:      func() bool { return true },
		FuncMakeRaw:         opt.Raw,
		FuncExitRaw:         opt.Restore,
		FuncOnWidthChanged:  func(func()) { readline.DefaultOnWidthChanged(e.resized) },
		EOFPrompt:           farewell,

		DisableAutoSaveHistory: true,
	})
	return e, err
}

// unlimited is the width of the terminal as the library sees it. The library need not know where lines wrap.
const unlimited = 1 << 30

// Close ends the editor.
func (e *Editor) Close() error { return e.rl.Close() }

// Read reads a text. It returns ErrInterrupt after Ctrl-C, and io.EOF after Ctrl-D or at the end of the input.
func (e *Editor) Read(prompt, more string) (string, error) {
	e.mu.Lock()
	e.prompt, e.more, e.ending = prompt, more, false
	e.hist.leave()
	e.mu.Unlock()
	text, err := e.rl.Readline()
	if errors.Is(err, readline.ErrInterrupt) {
		err = ErrInterrupt
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.search, e.message = nil, ""
	return text, err
}

// Remember adds an entry to the history.
func (e *Editor) Remember(entry string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.hist.add(entry)
}

// Show writes lines above what is being typed.
func (e *Editor) Show(lines string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.above(lines)
	e.draw(e.opt.Style)
}

// flush draws what is being typed, if that was put off while there was more input.
func (e *Editor) flush() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stale {
		e.draw(e.opt.Style)
	}
}

// resized draws what is being typed for the terminal's new size.
func (e *Editor) resized() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.shown {
		e.reflow()
		e.draw(e.opt.Style)
	}
}

// painter receives the text and the position of the cursor from the library.
type painter struct{ e *Editor }

// Paint implements readline.Painter. It draws the text, so that what the library writes next can be dropped.
func (p painter) Paint(line []rune, pos int) []rune {
	e := p.e
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ending && len(line) > len(e.before) && line[len(line)-1] == '\n' {
		e.ending = false
		e.text, e.pos, e.message = slices.Clone(line[:len(line)-1]), len(line)-1, ""
		e.finish(e.opt.Style)
	} else {
		e.text, e.pos = slices.Clone(line), pos
		if e.stale = e.in.waiting(); !e.stale {
			e.draw(e.opt.Style)
		}
	}
	e.drop = true
	return nil
}

// output receives what the library writes.
type output struct{ e *Editor }

// Write implements io.Writer.
func (o output) Write(b []byte) (int, error) {
	o.e.mu.Lock()
	defer o.e.mu.Unlock()
	switch text := string(b); {
	case text == bell:
		o.e.write(bell)
	case o.e.drop: // the text, which has been drawn
		o.e.drop = false
	case text == home:
		o.e.clearAll()
	}
	return len(b), nil // the rest clears what is drawn again at once
}

// Close implements io.Closer.
func (o output) Close() error { return nil }
