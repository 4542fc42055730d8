package segment

import (
	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/stats"
)

// Column is a column of a segment. What is known of it is in memory; its data either is, too, or
// is loaded on demand.
type Column struct {
	Zone   stats.Zone // without a sketch if that is loaded on demand
	bytes  int64      // of the data
	runs   bool       // the data are Runs
	data   *Data      // nil if source loads the data
	source Source     // nil if the data are in memory only
}

// Source loads the data of a column from a file. It may keep them in memory for later calls. Safe
// for concurrent use.
type Source interface {
	// Load returns the data. They stay valid as long as anything refers to them.
	Load() (*Data, error)
	// LoadAhead loads the data, unless they are in memory or somebody else is loading them. It
	// reports whether it has.
	LoadAhead() (loaded bool, err error)
	// Sketch returns the sketch of the column's values, or nil if there is none.
	Sketch() (*stats.Sketch, error)
	// Retyped returns the source under another type whose values are stored in the same way.
	Retyped(t types.Type) Source
}

// inMemory returns a column that has its data.
func inMemory(d *Data, zone stats.Zone) Column {
	return Column{Zone: zone, data: d, bytes: d.Bytes(), runs: d.Runs != nil}
}

// OnDemand returns a column that is loaded on demand. bytes is the size of its data, and runs
// tells whether they are Runs. If zone has a sketch, the source's is not used.
func OnDemand(zone stats.Zone, bytes int64, runs bool, source Source) Column {
	return Column{Zone: zone, bytes: bytes, runs: runs, source: source}
}

// Data returns the column's data, which a source may have to read from a file.
func (c *Column) Data() (*Data, error) {
	if c.data != nil {
		return c.data, nil
	}
	return c.source.Load()
}

// Source returns where the data are loaded from, or nil if they are in memory only.
func (c *Column) Source() Source { return c.source }

// HasRuns reports whether the data are Runs.
func (c *Column) HasRuns() bool { return c.runs }

// Bytes returns the bytes held by the column's data once they are in memory.
func (c *Column) Bytes() int64 { return c.bytes }

// Counted returns the zone with its sketch.
func (c *Column) Counted() (stats.Zone, error) {
	z := c.Zone
	if z.Sketch != nil || c.source == nil {
		return z, nil
	}
	var err error
	z.Sketch, err = c.source.Sketch()
	return z, err
}

// charge charges the data and the sketch to account.
func (c *Column) charge(account *mem.Account) (err error) {
	c.data.held, err = account.Hold(c.data.Footprint() + c.Zone.Sketch.Footprint())
	return err
}

// Read is like Data.Read.
func (c *Column) Read(def *catalog.Column, from, to int, dst *vec.Vector) error {
	d, err := c.Data()
	if err != nil {
		return err
	}
	return d.Read(def, from, to, dst)
}

// Retyped returns the column under another type whose values are stored in the same way.
func (c Column) Retyped(t types.Type) Column {
	if c.data != nil {
		c.data = c.data.Retyped(t)
	}
	if c.source != nil {
		c.source = c.source.Retyped(t)
	}
	return c
}
