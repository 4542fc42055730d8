package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"unicode/utf8"

	"golang.org/x/term"

	"gsql/cmd/gsql/progress"
)

// defaultPager shows a screen at a time, keeps wide tables unwrapped and leaves what it showed on
// the screen.
const defaultPager = "less -SRX"

// pagerCommand returns the command that shows long results: that of .pager, $GSQL_PAGER, $PAGER or
// less, if it is installed. It returns "" if results are not paged.
func (sh *shell) pagerCommand() string {
	switch {
	case sh.pager != nil:
		return *sh.pager
	case sh.confined:
		return ""
	}
	for _, name := range []string{"GSQL_PAGER", "PAGER"} {
		if command, ok := os.LookupEnv(name); ok {
			return command
		}
	}
	if _, err := exec.LookPath("less"); err != nil {
		return ""
	}
	return defaultPager
}

// dotPager is the command .pager.
func dotPager(sh *shell, args []string) error {
	command := strings.Join(args, " ")
	switch {
	case len(args) == 0:
		if command = sh.pagerCommand(); command == "" {
			command = "off"
		}
		_, err := fmt.Fprintln(sh.out, command)
		return err
	case command == "off":
		return dotNoPager(sh, nil)
	case sh.confined:
		return errConfined
	case command == "on":
		sh.pager = nil
		return nil
	}
	sh.pager = &command
	return nil
}

// dotNoPager is the command .nopager.
func dotNoPager(sh *shell, _ []string) error {
	sh.pager = new("")
	return nil
}

// paged holds back output until it is longer than the screen, and writes longer output to the pager.
// Close must be called.
type paged struct {
	sh      *shell
	command string
	lines   int // of the screen that are left for output, below 0 once it is too long
	room    int // bytes that are left for output; lines may be longer than the screen is wide
	shown   *progress.Display
	held    bytes.Buffer
	cmd     *exec.Cmd // nil until the output is too long
	pipe    io.WriteCloser
}

// errPagerLeft is returned by Write once the user has left the pager.
var errPagerLeft = errors.New("the pager has ended")

// newPaged returns a writer for a result, or nil if results are not paged: where output does not go
// to a terminal, or pager is off.
func (sh *shell) newPaged(shown *progress.Display) *paged {
	if !sh.interactive || sh.out != io.Writer(sh.stdout) || !term.IsTerminal(int(sh.stdout.Fd())) {
		return nil
	}
	command := sh.pagerCommand()
	width, height, err := term.GetSize(int(sh.stdout.Fd()))
	if command == "" || err != nil {
		return nil
	}
	return &paged{sh: sh, command: command, lines: height - 2, room: height * max(width, 80) * utf8.UTFMax, shown: shown} // the prompt follows
}

// writePaged writes a text, through the pager if it is longer than the screen.
func writePaged(sh *shell, text string) error {
	paged := sh.newPaged(nil)
	if paged == nil {
		_, err := io.WriteString(sh.out, text)
		return err
	}
	_, err := io.WriteString(paged, text)
	if errors.Is(err, errPagerLeft) {
		err = nil // the user has seen enough
	}
	return errors.Join(err, paged.Close())
}

// Write implements io.Writer.
func (p *paged) Write(b []byte) (int, error) {
	out := b
	if p.cmd == nil {
		p.held.Write(b)
		p.lines -= bytes.Count(b, []byte{'\n'})
		if p.room -= len(b); p.lines >= 0 && p.room >= 0 {
			return len(b), nil
		}
		if err := p.start(); err != nil {
			return 0, err
		}
		out, p.held = p.held.Bytes(), bytes.Buffer{}
	}
	if _, err := p.pipe.Write(out); err != nil {
		if errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed) {
			err = errPagerLeft
		}
		return 0, err
	}
	return len(b), nil
}

// start starts the pager.
func (p *paged) start() (err error) {
	p.shown.Stop()
	p.cmd = systemCommand(context.Background(), p.command)
	p.cmd.Stdout, p.cmd.Stderr = p.sh.stdout, p.sh.errw
	if p.pipe, err = p.cmd.StdinPipe(); err != nil {
		return err
	}
	return p.cmd.Start()
}

// Close writes what was held back, or waits until the user leaves the pager.
func (p *paged) Close() error {
	if p.cmd == nil {
		p.shown.Stop()
		_, err := p.sh.stdout.Write(p.held.Bytes())
		return err
	}
	if p.pipe == nil {
		return nil // it did not start
	}
	_ = p.pipe.Close() // it fails where the pager has ended
	if err := p.cmd.Wait(); err != nil {
		return fmt.Errorf("pager %s: %w", p.command, err)
	}
	return nil
}
