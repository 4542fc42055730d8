package jsonfile

import (
	"context"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"gsql/storage/files/dynamic"
	"gsql/storage/files/format"
)

// survey is what a file or a part of it has: the members of its objects and their values.
type survey struct {
	members
	whole  dynamic.Seen // the values that are rows
	others bool         // some of them are not objects
	rows   int64
	paths  int // number of members of nested objects
}

// tooMany reports whether there are so many members of nested objects that none of them becomes a column.
func (s *survey) tooMany() bool { return s.paths > mostNames }

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
			return s.value(w, s.list[i], 1)
		})
		if err != nil {
			return err
		}
		s.whole.Add(dynamic.Value{Kind: dynamic.Document})
	}
}

// value adds a value of a member, which is nested in depth others.
func (s *survey) value(w *walker, m *member, depth int) error {
	if w.Peek() != '{' {
		v, err := w.value(depth)
		m.seen.Add(v)
		m.others = m.others || v.Kind != dynamic.Null
		return err
	}
	m.seen.Add(dynamic.Value{Kind: dynamic.Document})
	if m.others || m.crowded || depth > deepest || s.tooMany() {
		_, err := w.value(depth)
		return err
	}
	return w.members(func(order int, name string) error {
		inner := s.inner(m, name, order)
		if inner == nil {
			_, err := w.value(depth + 1)
			return err
		}
		return s.value(w, inner, depth+1)
	})
}

// inner returns a member of the objects that are values of m, or nil if these have too many.
func (s *survey) inner(m *member, name string, guess int) *member {
	i, ok := m.at(name, guess)
	switch {
	case m.crowded:
		return nil
	case ok:
		return m.list[i]
	case len(m.names) == mostInner:
		m.members, m.crowded = members{}, true
		return nil
	}
	s.paths++
	return m.list[m.append(name)]
}

// merge adds the part of the file that follows.
func (s *survey) merge(o *survey, path string) error {
	for i, name := range o.names {
		at, err := s.add(name, i, path)
		if err != nil {
			return err
		}
		s.mergeMember(s.list[at], o.list[i])
	}
	s.paths = max(s.paths, o.paths)
	s.whole.Merge(&o.whole)
	s.others = s.others || o.others
	s.rows += o.rows
	return nil
}

func (s *survey) mergeMember(m, o *member) {
	m.seen.Merge(&o.seen)
	m.others = m.others || o.others
	if o.crowded {
		m.members, m.crowded = members{}, true
	}
	for i, name := range o.names {
		if s.tooMany() {
			return
		}
		inner := s.inner(m, name, i)
		if inner == nil {
			return
		}
		s.mergeMember(inner, o.list[i])
	}
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
