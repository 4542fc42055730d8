package durable

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// process is a process that Serve runs in.
type process struct {
	cmd      *exec.Cmd
	in       io.WriteCloser
	requests *json.Encoder
	replies  *json.Decoder
	errs     bytes.Buffer
}

// start starts a process, under a program such as strace if one is given.
func (o *Options) start(under ...string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args := append(slices.Clone(under), self, o.Child)
	p := &process{cmd: exec.Command(args[0], args[1:]...)}
	p.cmd.Stderr = &p.errs
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.requests, p.replies = json.NewEncoder(p.in), json.NewDecoder(out)
	return p, p.cmd.Start()
}

// open starts a process and opens a database in it. The reply has the time of that.
func (o *Options) open(s settings, profile string, under ...string) (*process, reply, error) {
	p, err := o.start(under...)
	if err != nil {
		return nil, reply{}, err
	}
	s.Threads = o.Threads
	a, err := p.ask(request{Op: "open", Open: &s, Profile: profile})
	if err != nil {
		p.kill()
		return nil, a, fmt.Errorf("%s %s: %w", s.Engine, s.Path, err)
	}
	return p, a, nil
}

// ask sends a request and waits for the reply.
func (p *process) ask(q request) (a reply, err error) {
	if err := p.requests.Encode(&q); err != nil {
		return a, err
	}
	if err := p.replies.Decode(&a); err != nil {
		return a, fmt.Errorf("the process ended: %w: %s", err, firstLine(p.errs.String()))
	}
	if a.Error != "" {
		return a, errors.New(a.Error)
	}
	return a, nil
}

// exec runs statements. The reply has the times that they took together.
func (p *process) exec(statements ...string) (all reply, err error) {
	for _, s := range statements {
		a, err := p.ask(request{Op: "exec", SQL: s})
		if err != nil {
			return reply{}, fmt.Errorf("%s: %w", s, err)
		}
		all.MS, all.CPUMS = all.MS+a.MS, all.CPUMS+a.CPUMS
	}
	return all, nil
}

// query runs a query.
func (p *process) query(text string) (reply, error) {
	a, err := p.ask(request{Op: "query", SQL: text})
	if err != nil {
		return a, fmt.Errorf("%s: %w", text, err)
	}
	return a, nil
}

// close closes the database and ends the process.
func (p *process) close() (reply, error) {
	a, err := p.ask(request{Op: "close"})
	return a, errors.Join(err, p.in.Close(), p.cmd.Wait())
}

// kill ends the process as a crash would.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	_ = p.cmd.Wait()         // the error says that it was killed
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
