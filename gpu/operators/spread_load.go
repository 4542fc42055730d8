package operators

import (
	"slices"

	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/group"
)

// load copies the device's share of some rows of both sides to it, over its own link. Shares of whole
// columns of tables come from its cache.
func (s *spread) load(m *group.Member, rows [2]span) ([]column.Column, error) {
	out := make([]column.Column, len(s.columns))
	for i, c := range s.columns {
		part := rows[c.side]
		from, to := s.share(m.Number).Rows(part.rows())
		upload := func() (column.Column, error) {
			if c.o.vec == nil {
				return column.Column{}, errUnread
			}
			col, err := m.Upload(c.format, c.o.vec.Slice(int(part.from+from), int(part.from+to)))
			s.sides[c.side].crossings.ToDevice.Add(col.Bytes())
			return col, err
		}
		var err error
		if whole := (span{0, s.sides[c.side].rows}); c.o.table != nil && part == whole {
			key := c.o.key(c.format)
			key.Share = s.share(m.Number)
			out[i], _, err = m.Cached(key, upload)
		} else {
			out[i], err = upload()
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// agree gives the columns of all devices, by device, the same bounds, and validity to all or none.
func (s *spread) agree(g *group.Group, columns [][]column.Column) error {
	lacking := make([]bool, len(s.columns)) // some device has no validity, and another one has
	for i := range s.columns {
		with := 0
		all := column.Column{Bounded: true}
		for _, of := range columns {
			c := &of[i]
			if c.Valid != 0 {
				with++
			}
			if c.Rows == 0 {
				continue
			}
			if all.Rows == 0 {
				all.Min, all.Max = c.Min, c.Max
			}
			all.Rows += c.Rows
			all.Bounded = all.Bounded && c.Bounded
			all.Min, all.Max = min(all.Min, c.Min), max(all.Max, c.Max)
		}
		for _, of := range columns {
			of[i].Bounded, of[i].Min, of[i].Max = all.Bounded && all.Rows > 0, all.Min, all.Max
		}
		lacking[i] = with > 0 && with < len(columns)
	}
	if !slices.Contains(lacking, true) {
		return nil
	}
	return g.Run(func(m *group.Member) (err error) {
		for i := range s.columns {
			c := &columns[m.Number][i]
			if !lacking[i] || c.Valid != 0 {
				continue
			}
			if c.Valid, err = m.Alloc(max(c.Rows, 1)); err == nil {
				err = m.Fill(c.Valid, 1, c.Rows)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// gather copies the whole of a side's columns to each device. The result is by device.
func (s *spread) gather(g *group.Group, side int, shares [][]column.Column) ([][]column.Column, error) {
	out := make([][]column.Column, len(shares))
	err := g.Run(func(m *group.Member) error {
		m.Received = 0
		out[m.Number] = make([]column.Column, len(s.columns))
		for i, c := range s.columns {
			own := shares[m.Number][i]
			if c.side == side {
				var err error
				if own, err = gatherColumn(m, g, shares, i); err != nil {
					return err
				}
			}
			out[m.Number][i] = own
		}
		return nil
	})
	for d, m := range g.Members {
		s.noted.Received[d] += m.Received
	}
	return out, err
}

// gatherColumn queues copying all shares of a column to a device, the next device's first, so that no
// device is asked by all at once.
func gatherColumn(m *group.Member, g *group.Group, shares [][]column.Column, i int) (column.Column, error) {
	all := shares[m.Number][i]
	first := make([]int64, len(shares))
	all.Rows = 0
	for d, of := range shares {
		first[d] = all.Rows
		all.Rows += of[i].Rows
	}
	copyAll := func(width int64, at func(c *column.Column) gpu.Ptr) (gpu.Ptr, error) {
		to, err := m.Alloc(max(all.Rows*width, 1))
		for k := 0; k < len(shares) && err == nil; k++ {
			d := (m.Number + k) % len(shares)
			from := &shares[d][i]
			dst, bytes := to+gpu.Ptr(first[d]*width), from.Rows*width
			if d != m.Number {
				err = m.Fetch(dst, g.Members[d].Device, at(from), bytes)
			} else if bytes > 0 {
				err = m.Device.CopyDevice(dst, at(from), bytes, m.Copy)
			}
		}
		return to, err
	}
	var err error
	if all.Values, err = copyAll(all.Kind.Width(), func(c *column.Column) gpu.Ptr { return c.Values }); err == nil && all.Valid != 0 {
		all.Valid, err = copyAll(1, func(c *column.Column) gpu.Ptr { return c.Valid })
	}
	return all, err
}
