package storage

import (
	"gsql/internal/mem"
	"gsql/sql/types"
)

// A load charges the memory that it fills before rows become segments, which are charged for
// themselves: its chunks, and what its writers keep to number and count values.

// charge makes the load's Holding have what the writer's chunk, encoders and counts take now.
func (w *AppendWriter) charge() error {
	if err := w.cur.charge(w.app.held); err != nil {
		return err
	}
	n := int64(0)
	for i, c := range w.encoders {
		n += c.footprint() + w.counts[i].Footprint()
	}
	if err := w.app.held.Grow(n - w.charged); err != nil {
		return err
	}
	w.charged = n
	return nil
}

// charge makes h have what c takes now.
func (c *chunk) charge(h *mem.Holding) error {
	n := int64(0)
	for i := range c.cols {
		k := &c.cols[i]
		n += int64(cap(k.data) + cap(k.null) + 4*(cap(k.ends)+cap(k.codes)))
	}
	if err := h.Grow(n - c.charged); err != nil {
		return err
	}
	c.charged = n
	return nil
}

// discharge takes c's charge from h.
func (c *chunk) discharge(h *mem.Holding) {
	h.GrowAnyway(-c.charged)
	c.charged = 0
}

// footprint returns the bytes that an encoder takes; nil takes none.
func (c *dictEncoder) footprint() int64 {
	if c == nil {
		return 0
	}
	return c.text + int64(len(c.values))*(slotBytes(types.KindStr)+8) + 4*int64(cap(c.slots)+cap(c.here))
}
