package ptx

import (
	"fmt"
	"strings"

	"gsql/gpu/pipeline"
)

// load returns a column at the rows of a stage, or of the source.
func (k *expressions) load(e *pipeline.Expr) (value, error) {
	if e.At == pipeline.None {
		return k.sourceColumn(e.Column), nil
	}
	c, m := &k.p.Columns[e.Column], &k.stages[e.At]
	v := k.gather(e.Column, m.row, k.both(k.alive, m.found))
	if c.Nullable {
		v.ok = k.validAt(e.Column, m.row, m.found)
	} else if e.Nullable {
		v.ok = m.found
	}
	return v, nil
}

// lookup returns the elements of a column by number. Rows that are not alive may have arbitrary
// numbers, which are limited to the column's range.
func (k *expressions) lookup(e *pipeline.Expr) (value, error) {
	at, err := k.value(e.Args[0])
	if err != nil {
		return value{}, err
	}
	c := &k.p.Columns[e.Column]
	size := c.Size
	if c.Data != nil {
		size = int64(len(c.Data) / c.Width)
	}
	numbers := k.unsigned(at)
	for i, r := range numbers {
		limited := k.reg("r")
		k.op("min.u32 %s, %s, %d", limited, r, size-1)
		numbers[i] = limited
	}
	v := k.gather(e.Column, numbers, nil)
	if v.ok = at.ok; c.Nullable {
		valid := k.validAt(e.Column, numbers, nil)
		if v.ok != nil {
			valid = k.both(v.ok, valid)
		}
		v.ok = valid
	}
	return v, nil
}

// unsigned returns integers, which must fit, in 32-bit registers.
func (k *writer) unsigned(v value) []string {
	out := make([]string, k.rows)
	for i, r := range v.reg {
		out[i] = r
		if v.wide && r[0] == '%' {
			out[i] = k.reg("r")
			k.op("cvt.u32.u64 %s, %s", out[i], r)
		}
	}
	return out
}

// gather loads a column's elements at row numbers, for the rows where the predicate is set, or for
// all.
func (k *tile) gather(column int, rows, where []string) value {
	c := &k.p.Columns[column]
	raw := make([]string, k.rows)
	class, typ := loadType(c)
	for i := range raw {
		at := k.reg("d")
		k.op("mad.wide.u32 %s, %s, %d, %s", at, rows[i], c.Width, k.address(column))
		raw[i] = k.reg(class)
		if where == nil {
			k.op("ld.global.nc.%s %s, [%s]", typ, raw[i], at)
			continue
		}
		k.zero(class, raw[i])
		k.op("@%s ld.global.nc.%s %s, [%s]", where[i], typ, raw[i], at)
	}
	return k.stored(column, raw)
}

// zero sets a register that a predicated instruction may leave unset.
func (k *writer) zero(class, r string) {
	switch class {
	case "f":
		k.op("mov.f64 %s, 0d0000000000000000", r)
	case "d":
		k.op("mov.b64 %s, 0", r)
	default:
		k.op("mov.b32 %s, 0", r)
	}
}

// loadType returns the register class and the type of loads of a column's elements.
func loadType(c *pipeline.Column) (class, typ string) {
	switch {
	case c.Kind == pipeline.Float:
		return "f", "f64"
	case c.Width == 8:
		return "d", "u64"
	}
	return "r", fmt.Sprintf("u%d", 8*c.Width)
}

// stored returns the values of a column's elements.
func (k *tile) stored(column int, raw []string) value {
	c := &k.p.Columns[column]
	if c.Kind == pipeline.Float {
		return value{float: true, reg: raw}
	}
	wide := c.Min < -1<<31 || c.Max > 1<<31-1
	v := value{wide: wide, reg: make([]string, k.rows)}
	for i, r := range raw {
		switch {
		case wide && c.Width < 8:
			v.reg[i] = k.reg("d")
			k.op("cvt.u64.u32 %s, %s", v.reg[i], r)
		case !wide && c.Width == 8:
			v.reg[i] = k.reg("r")
			k.op("cvt.u32.u64 %s, %s", v.reg[i], r)
		default:
			v.reg[i] = r
		}
		if c.Bias != 0 {
			sum := k.reg(v.class())
			k.op("add.%s %s, %s, %d", v.typ(), sum, v.reg[i], v.constant(c.Bias))
			v.reg[i] = sum
		}
	}
	return v
}

// sourceColumn returns a column at the source's rows, loaded once.
func (k *tile) sourceColumn(column int) value {
	if v, ok := k.loads[column]; ok {
		return v
	}
	c := &k.p.Columns[column]
	at := k.reg("d")
	k.op("mad.wide.u32 %s, %s, %d, %s", at, k.first, c.Width, k.address(column))
	v := k.stored(column, k.vector(c, at))
	if c.Nullable {
		v.ok = k.sourceValid(column)
	}
	k.loads[column] = v
	return v
}

// vector loads the elements of the thread's rows: narrow ones in words, others in vectors.
func (k *tile) vector(c *pipeline.Column, at string) []string {
	class, typ := "r", "b32"
	switch {
	case c.Kind == pipeline.Float:
		class, typ = "f", "f64"
	case c.Width == 8:
		class, typ = "d", "b64"
	}
	if c.Width >= 4 {
		return k.loadRun(class, typ, c.Width, k.rows, at)
	}
	bytes := c.Width * k.rows
	if bytes < 4 {
		word := k.reg("r")
		k.op("ld.global.nc.u%d %s, [%s]", 8*bytes, word, at)
		return k.fields([]string{word}, c.Width)
	}
	return k.fields(k.loadRun("r", "b32", 4, bytes/4, at), c.Width)
}

// loadRun loads n neighbouring elements, up to 16 bytes at once.
func (k *tile) loadRun(class, typ string, width, n int, at string) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = k.reg(class)
	}
	most := 16 / width
	for from := 0; from < n; from += most {
		part := out[from:min(from+most, n)]
		if len(part) == 1 {
			k.op("ld.global.nc.%s %s, [%s+%d]", typ, part[0], at, from*width)
			continue
		}
		k.op("ld.global.nc.v%d.%s {%s}, [%s+%d]", len(part), typ, strings.Join(part, ", "), at, from*width)
	}
	return out
}

// fields returns the elements of a width that words of 32 bits hold.
func (k *tile) fields(words []string, width int) []string {
	out := k.regs("r")
	for i, r := range out {
		place := i * width
		k.op("bfe.u32 %s, %s, %d, %d", r, words[place/4], 8*(place%4), 8*width)
	}
	return out
}

// sourceValid returns which of the thread's rows are not NULL. Their validity bits are in one byte.
func (k *tile) sourceValid(column int) []string {
	offset, at, word := k.reg("r"), k.reg("d"), k.reg("r")
	k.op("shr.u32 %s, %s, 3", offset, k.first)
	k.op("cvt.u64.u32 %s, %s", at, offset)
	sum := k.reg("d")
	k.op("add.u64 %s, %s, %s", sum, at, k.param(Param{Valid, column}))
	k.op("ld.global.nc.u8 %s, [%s]", word, sum)
	shift, bits := k.reg("r"), k.reg("r")
	k.op("and.b32 %s, %s, %d", shift, k.first, 8-k.rows)
	k.op("shr.u32 %s, %s, %s", bits, word, shift)
	out := k.regs("p")
	for i, p := range out {
		bit := k.reg("r")
		k.op("and.b32 %s, %s, %d", bit, bits, 1<<i)
		k.op("setp.ne.u32 %s, %s, 0", p, bit)
	}
	return out
}

// validAt returns which elements of a column with validity bits are not NULL, by number. The result
// is false where the predicate is not set.
func (k *tile) validAt(column int, rows, where []string) []string {
	out := k.regs("p")
	for i, p := range out {
		word, at, bits, shift, bit := k.reg("r"), k.reg("d"), k.reg("r"), k.reg("r"), k.reg("r")
		k.op("shr.u32 %s, %s, 5", word, rows[i])
		k.op("mad.wide.u32 %s, %s, 4, %s", at, word, k.param(Param{Valid, column}))
		guard := ""
		if where != nil {
			k.zero("r", bits)
			guard = "@" + where[i] + " "
		}
		k.op("%sld.global.nc.u32 %s, [%s]", guard, bits, at)
		k.op("and.b32 %s, %s, 31", shift, rows[i])
		k.op("shr.u32 %s, %s, %s", bit, bits, shift)
		masked := k.reg("r")
		k.op("and.b32 %s, %s, 1", masked, bit)
		k.op("setp.ne.u32 %s, %s, 0", p, masked)
	}
	return out
}
