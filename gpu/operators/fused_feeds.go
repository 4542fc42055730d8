package operators

import (
	"cmp"
	"errors"
	"slices"

	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/pipeline/run"
	"gsql/gpu/tables"
	"gsql/sql/sqlerr"
)

// read reads columns of a table into host memory, except for those that are on the device.
func (l *tableLoader) read(x *loadedTable, ordinals []int) error {
	cacheable := l.f.cfg.Cacheable(x.table)
	var absent []int
	for _, o := range ordinals {
		if l.direct[x.table] != nil && tables.Directly(x.table, o) {
			c, err := tables.Statistics{}.Column(x.table, o)
			if err == nil {
				err = x.add(o, c)
			}
			if err != nil {
				return err
			}
			continue
		}
		c, ok := column.Narrow{}, false
		if cacheable {
			c, ok = l.t.Narrow(tables.Key(x.table, o))
		}
		if !ok {
			absent = append(absent, o)
		} else if err := x.add(o, c); err != nil {
			return err
		}
	}
	if len(absent) == 0 {
		return nil
	}
	feed, err := tables.Read(l.f.ctx, x.table, absent)
	if err != nil {
		return err
	}
	l.feeds = append(l.feeds, feed)
	for _, o := range absent {
		if err := x.add(o, feed.Column(o)); err != nil {
			return err
		}
		x.feeds[o] = feed
	}
	return nil
}

// add notes a column.
func (x *loadedTable) add(ordinal int, c column.Narrow) error {
	x.columns[ordinal] = c
	return x.note(c)
}

// free returns the host memory of what was read.
func (l *tableLoader) free() {
	for _, feed := range l.feeds {
		feed.Free()
	}
	l.feeds = nil
	for _, d := range l.direct {
		d.Free()
	}
	clear(l.direct)
}

// place brings those columns of a program to the device that cannot stay in host memory, and of the others
// as many as fit besides the program's own memory, those of the smallest tables first: the next query finds
// them there. The rows of the rest will be streamed.
func (l *tableLoader) place(p *prepared) error {
	if !l.pieces {
		return nil
	}
	scanned := l.tablesOf(p)
	var may []fed
	for i := range p.relations {
		r := &p.relations[i]
		x := l.find(scanned[i])
		if l.direct[x.table] != nil {
			if !directly(p.job, i, r.ordinals, r.derived) || len(x.feeds) > 0 {
				return errOrdered
			}
			continue
		}
		size := x.fedBytes(r.ordinals)
		for _, o := range r.ordinals {
			switch {
			case x.feeds[o] == nil:
			case p.job.SourceOnly(i, o):
				may = append(may, fed{x, o, size})
			default:
				if err := l.bring(x, o); err != nil {
					return err
				}
			}
		}
	}
	slices.SortStableFunc(may, func(a, b fed) int { return cmp.Compare(a.size, b.size) })
	free := l.t.Free() - p.job.Bytes()
	free -= min(engine.StreamBytes, free/2)
	for _, c := range may {
		if n := c.table.columns[c.ordinal]; n.Bytes() > free {
			continue
		}
		before := l.t.Free()
		if err := l.bring(c.table, c.ordinal); err != nil && !errors.Is(err, sqlerr.OutOfMemory) {
			return err
		}
		free -= before - l.t.Free()
	}
	return nil
}

// fed is a column that a feed has.
type fed struct {
	table   *loadedTable
	ordinal int
	size    int64 // bytes of the table's columns that feeds have
}

// fedBytes returns the device memory of the columns that feeds have.
func (x *loadedTable) fedBytes(ordinals []int) (bytes int64) {
	for _, o := range ordinals {
		if c := x.columns[o]; x.feeds[o] != nil {
			bytes += c.Bytes()
		}
	}
	return bytes
}

// bring copies a column from its feed to the device.
func (l *tableLoader) bring(x *loadedTable, ordinal int) error {
	c, err := x.feeds[ordinal].Upload(l.t, ordinal, l.f.cfg.Cacheable(x.table))
	if err != nil {
		return err
	}
	l.moved += c.Bytes()
	x.columns[ordinal] = c
	delete(x.feeds, ordinal)
	return nil
}

// inputs returns the columns of a program's relations.
func (l *tableLoader) inputs(p *prepared) run.Inputs {
	scanned := l.tablesOf(p)
	in := run.Inputs{Column: func(relation, ordinal int) column.Narrow {
		x, own := l.find(scanned[relation]), len(scanned[relation].Schema().Columns)
		if ordinal < own {
			return x.columns[ordinal]
		}
		return x.derived[derivedKey(&p.relations[relation].derived[ordinal-own])]
	}}
	if l.pieces {
		in.Feed = func(relation, ordinal int) run.Feed {
			if d := l.direct[scanned[relation]]; d != nil {
				return d
			}
			if feed := l.find(scanned[relation]).feeds[ordinal]; feed != nil {
				return feed
			}
			return nil
		}
	}
	return in
}
