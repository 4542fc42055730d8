package cast

import (
	"encoding/binary"
	"unsafe"

	"gsql/sql/kernel"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Stamp is a template for converting days or points in time to texts of equal length, which
// differ only in pairs of digits at fixed places.
type Stamp struct {
	Text   []byte
	Pairs  []stampPair
	Micros []stampPair // of the fraction of the second, which is often zero
	clock  bool        // some pairs belong to the time of day
}

// stampPair is the place of a two-digit number in the text.
type stampPair struct {
	at   int
	part uint8
}

// The two-digit parts of a point in time, those of the day first.
const (
	PartCentury uint8 = iota
	PartYear          // year within the century
	PartMonth
	PartDay
	PartHour
	PartHour12
	PartMinute
	PartSecond
	PartMicros12 // digits 1 and 2 of the fraction
	PartMicros34
	PartMicros56
	partMicros23
	partMicros45
	stampParts = 16 // a power of two
)

// Add appends two zeros for each of the parts, with separator between them.
func (s *Stamp) Add(separator string, parts ...uint8) {
	for i, p := range parts {
		if i > 0 {
			s.Text = append(s.Text, separator...)
		}
		s.put(len(s.Text), p)
		s.Text = append(s.Text, "00"...)
	}
}

func (s *Stamp) put(at int, part uint8) {
	s.clock = s.clock || part >= PartHour
	if p := (stampPair{at, part}); part >= PartMicros12 {
		s.Micros = append(s.Micros, p)
	} else {
		s.Pairs = append(s.Pairs, p)
	}
}

// stampOf returns the stamp of values as shown in a result set. It returns nil if their texts
// differ in length, or contain a single digit without another one next to it.
func stampOf(t types.Type) *Stamp {
	s := &Stamp{}
	switch {
	case t.ID == types.Date:
	case (t.ID == types.Datetime || t.ID == types.Timestamp) && t.Prec != 1:
	default:
		return nil
	}
	s.Add("", PartCentury)
	s.Add("-", PartYear, PartMonth, PartDay)
	if t.ID == types.Date {
		return s
	}
	s.Text = append(s.Text, ' ')
	s.Add(":", PartHour, PartMinute, PartSecond)
	if t.Prec > 0 {
		s.Text = append(s.Text, '.')
		s.fraction(int(t.Prec))
	}
	return s
}

// fraction adds two to six digits of the fraction of the second. If the number of digits is odd,
// the last pair overlaps the one before and writes the last digit but one again.
func (s *Stamp) fraction(digits int) {
	at := len(s.Text)
	s.Text = append(s.Text, "000000"[:digits]...)
	for i := range digits / 2 {
		s.put(at+2*i, PartMicros12+uint8(i))
	}
	if digits%2 == 1 {
		s.put(at+digits-2, partMicros23+uint8(digits/2-1))
	}
}

// partsOfDay returns the parts of a day, one per byte with the century in the lowest, or -1 if
// the year is not in 0 to 9999.
func partsOfDay(day int64) int64 {
	year, month, d := types.CivilDate(day)
	if uint(year) > 9999 {
		return -1
	}
	return int64(year/100) | int64(year%100)<<8 | int64(month)<<16 | int64(d)<<24
}

// splitClock stores the parts of a time of day in microseconds. It stores a fraction, and returns
// true, only if the fraction is not zero.
func splitClock(micros int64, parts *[stampParts]uint8) (some bool) {
	second := uint32(micros / types.Second)
	fraction := uint32(micros - int64(second)*types.Second)
	minute := second / 60
	hour := minute / 60
	parts[PartHour], parts[PartHour12], parts[PartMinute], parts[PartSecond] = uint8(hour), uint8((hour+11)%12+1), uint8(minute-60*hour), uint8(second-60*minute)
	if fraction == 0 {
		return false
	}
	parts[PartMicros12], parts[PartMicros34], parts[PartMicros56] = uint8(fraction/10_000), uint8(fraction/100%100), uint8(fraction%100)
	parts[partMicros23], parts[partMicros45] = uint8(fraction/1000%100), uint8(fraction/10%100)
	return true
}

// Kernel returns the kernel that formats values of type t, in contiguous memory. slow formats
// values whose year is not in 0 to 9999.
func (s *Stamp) Kernel(t types.Type, slow func(dst []byte, x int64) []byte) kernel.Kernel {
	tables := &kernel.DayTables[int64]{F: kernel.OfDay(partsOfDay)}
	return func(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
		a, dst, m, n := args[0].I64, out.Str, kernel.Mask(args[0]), len(s.Text)
		days := rt.DaysOf(args[0], t, len(dst))
		table := tables.Of(rt, days)
		room := stamped(rt, s.Text, len(dst))
		all := unsafe.String(unsafe.SliceData(room), len(room))
		var parts [stampParts]uint8
		for i, day := range days {
			if out.Null != nil && out.Null[i] {
				continue
			}
			var packed int64
			if table != nil {
				packed = table.Values[day-table.Lo]
			} else {
				packed = partsOfDay(day)
			}
			if packed < 0 {
				dst[i] = string(slow(nil, a[i&m]))
				continue
			}
			binary.LittleEndian.PutUint32(parts[:], uint32(packed))
			at := i * n
			row := room[at : at+n]
			if s.clock && splitClock(a[i&m]-day*types.Day, &parts) {
				write(row, s.Micros, &parts)
			}
			write(row, s.Pairs, &parts)
			dst[i] = all[at : at+n]
		}
		return nil
	}
}

// write writes the pairs of digits into the text row.
func write(row []byte, pairs []stampPair, parts *[stampParts]uint8) {
	for _, p := range pairs {
		*(*[2]byte)(row[p.at:]) = digitPairs[parts[p.part%stampParts]]
	}
}

// stamped returns memory for n texts, each initialised with text.
func stamped(rt *kernel.Runtime, text []byte, n int) []byte {
	b := rt.Room(n * len(text))
	b = append(b, text...)
	for want := n * len(text); len(b) < want; {
		b = append(b, b[:min(len(b), want-len(b))]...)
	}
	rt.Keep(b)
	return b
}

// digitPairs holds the two-digit numbers 00 to 99.
var digitPairs = func() (pairs [100][2]byte) {
	for i := range pairs {
		pairs[i] = [2]byte{'0' + byte(i/10), '0' + byte(i%10)}
	}
	return pairs
}()
