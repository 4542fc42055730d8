package jsonfile

import (
	"fmt"

	"gsql/storage/files/dynamic"
)

// slot says which outputs of a reader the values of a member fill.
type slot struct {
	own    int    // the output of the value itself, or -1
	below  []int  // the outputs of what is nested in it
	nested []slot // by number of the member; nil if below is empty
}

// slotsOf returns the slots of members and all of their outputs. outputs has the output of each column of the file,
// or -1.
func slotsOf(fields []field, outputs []int) (slots []slot, all []int) {
	slots = make([]slot, len(fields))
	for i, f := range fields {
		s := &slots[i]
		s.own = outputs[f.column]
		nested, below := slotsOf(f.nested, outputs)
		if len(below) > 0 {
			s.nested, s.below = nested, below
			all = append(all, below...)
		}
		if s.own >= 0 {
			all = append(all, s.own)
		}
	}
	return slots, all
}

// value reads a value of a member, which is nested in depth others. Where a member is repeated, its last value
// counts.
func (c *chunk) value(s *slot, m *member, depth int) error {
	w := c.walk
	object, from := w.Peek() == '{', w.Pos()
	for _, o := range s.below {
		c.row[o] = dynamic.Value{}
	}
	if len(s.below) == 0 || !object {
		v, err := w.value(depth)
		if s.own >= 0 {
			c.row[s.own] = v
		}
		if err == nil && len(s.below) > 0 && v.Kind != dynamic.Null {
			err = c.unexpected("a value that is no object")
		}
		return err
	}
	err := w.members(func(order int, name string) error {
		i, ok := m.at(name, order)
		if !ok {
			return c.unexpected(fmt.Sprintf("the member '%s' of an object", name))
		}
		return c.value(&s.nested[i], m.list[i], depth+1)
	})
	if s.own >= 0 {
		c.row[s.own] = dynamic.Value{Kind: dynamic.Document, Text: w.text[from:w.Pos()]}
	}
	return err
}
