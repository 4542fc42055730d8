package column

import (
	"math"

	"gsql/gpu"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// Refusal is the reason why a column cannot be in device memory. The text begins in lower case and
// does not name the column.
type Refusal string

// Error implements error.
func (r Refusal) Error() string { return string(r) }

// The refusals that depend on the values of a column.
const (
	tooManyDigits = Refusal("values of more than 18 digits")
	beyondInt64   = Refusal("unsigned values beyond the range of BIGINT")
	tooManyTexts  = Refusal("too many distinct texts")
)

// Narrowable returns a Refusal if no column of type t can be Narrow. Values may still turn out to
// be too wide.
func Narrowable(t types.Type) error {
	switch t.ID {
	case types.Null, types.JSON, types.Enum, types.Set:
		return Refusal("values of type " + t.Name())
	}
	if t.Carries() {
		return sqlerr.Internal("a table's column of type %s carries digits", t)
	}
	return nil
}

// Fit returns the smallest width in bytes for integers from least to most, and their bias, which is
// 0 if it saves nothing.
func Fit(least, most int64) (width int, bias int64) {
	width = bytesFor(uint64(most) - uint64(least))
	if width == 8 || least >= 0 && bytesFor(uint64(most)) == width {
		return width, 0
	}
	return width, least
}

// bytesFor returns the width of a stored number, which is unsigned below 8 bytes.
func bytesFor(x uint64) int {
	switch {
	case x <= math.MaxUint8:
		return 1
	case x <= math.MaxUint16:
		return 2
	case x <= math.MaxUint32:
		return 4
	}
	return 8
}

// ValueBytes returns the device memory of the values, rounded up to gpu.Alignment.
func (c *Narrow) ValueBytes() int64 { return aligned(c.Rows * int64(c.Width)) }

// ValidBytes returns the device memory of the validity bits, if there are any NULLs, rounded up to
// gpu.Alignment.
func (c *Narrow) ValidBytes() int64 { return aligned((c.Rows + 7) / 8) }

// Bytes returns the device memory of the column.
func (c *Narrow) Bytes() int64 {
	if c.Valid == 0 {
		return c.ValueBytes()
	}
	return c.ValueBytes() + c.ValidBytes()
}

func aligned(bytes int64) int64 { return (bytes + gpu.Alignment - 1) / gpu.Alignment * gpu.Alignment }
