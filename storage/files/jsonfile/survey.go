package jsonfile

import (
	"context"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"gsql/storage/files/dynamic"
	"gsql/storage/files/format"
)

// mostNames is the largest number of members whose names are kept.
const mostNames = 4096

// survey is what a file or a part of it has: the members of its objects in the order in which they
// first occur, and their values.
type survey struct {
	names  []string
	index  map[string]int
	seen   []dynamic.Seen
	whole  dynamic.Seen // the values that are rows
	others bool         // some of them are not objects
	rows   int64
}

// at returns the number of a member. guess is what it probably is.
func (s *survey) at(name string, guess int) (int, bool) {
	if guess < len(s.names) && s.names[guess] == name {
		return guess, true
	}
	i, ok := s.index[name]
	return i, ok
}

// add returns the number of a member, which it adds if it is new. The text of name is not kept.
func (s *survey) add(name string, guess int, path string) (int, error) {
	if i, ok := s.at(name, guess); ok {
		return i, nil
	}
	if len(s.names) == mostNames {
		return 0, format.TooManyColumns(path, mostNames, " members with different names")
	}
	if s.index == nil {
		s.index = make(map[string]int)
	}
	name = string(append([]byte(nil), name...))
	s.index[name] = len(s.names)
	s.names, s.seen = append(s.names, name), append(s.seen, dynamic.Seen{})
	return len(s.names) - 1, nil
}

// read adds the values of a chunk.
func (s *survey) read(c *chunk) error {
	w, err := newWalker(c)
	if err != nil {
		return err
	}
	for {
		more, err := w.more()
		if err != nil || !more {
			return err
		}
		s.rows++
		if w.Peek() != '{' {
			v, err := w.value(0)
			if err != nil {
				return err
			}
			s.others = s.others || v.Kind != dynamic.Null
			s.whole.Add(v)
			continue
		}
		err = w.members(func(order int, name string) error {
			i, err := s.add(name, order, w.path)
			if err != nil {
				return err
			}
			v, err := w.value(1)
			s.seen[i].Add(v)
			return err
		})
		if err != nil {
			return err
		}
		s.whole.Add(dynamic.Value{Kind: dynamic.Document})
	}
}

// merge adds the part of the file that follows.
func (s *survey) merge(o *survey, path string) error {
	for i, name := range o.names {
		at, err := s.add(name, i, path)
		if err != nil {
			return err
		}
		s.seen[at].Merge(&o.seen[i])
	}
	s.whole.Merge(&o.whole)
	s.others = s.others || o.others
	s.rows += o.rows
	return nil
}

// survey reads the file, with several goroutines. Of a pipe, which cannot be read again, it reads the
// first chunk.
func (p *Part) survey(ctx context.Context) (*survey, error) {
	req := &format.Request{Mem: p.Account, Passing: true}
	s, err := p.scan(ctx, req)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	all, next := &survey{}, 0
	waiting := map[int]*survey{}
	var reading, merging sync.Mutex
	take := func() (*chunk, error) {
		reading.Lock()
		defer reading.Unlock()
		if p.Pipe != nil && s.number > 0 {
			return nil, nil
		}
		return s.next()
	}
	g := errgroup.Group{}
	for range min(runtime.GOMAXPROCS(0), 1+int(p.Size>>18)) {
		g.Go(func() error {
			return format.Guard(p.Path, func() error {
				for {
					c, err := take()
					if c == nil || err != nil {
						return err
					}
					part := &survey{}
					err = part.read(c)
					number, at := c.number, c.at
					c.End()
					if err != nil {
						return err
					}
					merging.Lock()
					waiting[number] = part
					p.places = append(p.places, place{at, int64(len(c.data))})
					for err == nil && waiting[next] != nil {
						err = all.merge(waiting[next], p.Path)
						delete(waiting, next)
						next++
					}
					merging.Unlock()
					if err != nil {
						return err
					}
				}
			})
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return all, nil
}
