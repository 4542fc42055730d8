package eval

import (
	"encoding/binary"
	"unsafe"

	"gsql/sql/types"
	"gsql/sql/vec"
)

// stamp is how days or points in time become texts of one length, which have pairs of digits in
// some places and are alike otherwise.
type stamp struct {
	text   []byte
	pairs  []stampPair
	micros []stampPair // of the fraction of the second, which is often zero
	clock  bool        // some pairs are of the time of day
}

// stampPair is a number of two digits at a place.
type stampPair struct {
	at   int
	part uint8
}

// The numbers of two digits that a point in time has, those of the day first.
const (
	partCentury uint8 = iota
	partYear          // of the century
	partMonth
	partDay
	partHour
	partHour12
	partMinute
	partSecond
	partMicros12 // digits 1 and 2 of the fraction
	partMicros34
	partMicros56
	partMicros23
	partMicros45
	stampParts = 16 // a power of two
)

// add adds a text of two zeros for each of some parts, with a separator between.
func (s *stamp) add(separator string, parts ...uint8) {
	for i, p := range parts {
		if i > 0 {
			s.text = append(s.text, separator...)
		}
		s.put(len(s.text), p)
		s.text = append(s.text, "00"...)
	}
}

func (s *stamp) put(at int, part uint8) {
	s.clock = s.clock || part >= partHour
	if p := (stampPair{at, part}); part >= partMicros12 {
		s.micros = append(s.micros, p)
	} else {
		s.pairs = append(s.pairs, p)
	}
}

// stampOf gives the stamp of values as a result set shows them, nil where their texts are of several
// lengths, or have an odd digit that is next to none.
func stampOf(t types.Type) *stamp {
	s := &stamp{}
	switch {
	case t.ID == types.Date:
	case (t.ID == types.Datetime || t.ID == types.Timestamp) && t.Prec != 1:
	default:
		return nil
	}
	s.add("", partCentury)
	s.add("-", partYear, partMonth, partDay)
	if t.ID == types.Date {
		return s
	}
	s.text = append(s.text, ' ')
	s.add(":", partHour, partMinute, partSecond)
	if t.Prec > 0 {
		s.text = append(s.text, '.')
		s.fraction(int(t.Prec))
	}
	return s
}

// fraction adds two to six digits of the fraction of the second; where they are odd the last but
// one is written twice.
func (s *stamp) fraction(digits int) {
	at := len(s.text)
	s.text = append(s.text, "000000"[:digits]...)
	for i := range digits / 2 {
		s.put(at+2*i, partMicros12+uint8(i))
	}
	if digits%2 == 1 {
		s.put(at+digits-2, partMicros23+uint8(digits/2-1))
	}
}

// partsOfDay gives the parts of a day as bytes, that of the century is the lowest one; -1 where the
// year is not one of 0 to 9999.
func partsOfDay(day int64) int64 {
	year, month, d := types.CivilDate(day)
	if uint(year) > 9999 {
		return -1
	}
	return int64(year/100) | int64(year%100)<<8 | int64(month)<<16 | int64(d)<<24
}

// splitClock writes the parts of a time of day in microseconds, those of a fraction where there is one.
func splitClock(micros int64, parts *[stampParts]uint8) (some bool) {
	second := uint32(micros / types.Second)
	fraction := uint32(micros - int64(second)*types.Second)
	minute := second / 60
	hour := minute / 60
	parts[partHour], parts[partHour12], parts[partMinute], parts[partSecond] = uint8(hour), uint8((hour+11)%12+1), uint8(minute-60*hour), uint8(second-60*minute)
	if fraction == 0 {
		return false
	}
	parts[partMicros12], parts[partMicros34], parts[partMicros56] = uint8(fraction/10_000), uint8(fraction/100%100), uint8(fraction%100)
	parts[partMicros23], parts[partMicros45] = uint8(fraction/1000%100), uint8(fraction/10%100)
	return true
}

// kernel makes the texts of values of type t, which lie one behind the other; slow appends those
// of other years.
func (s *stamp) kernel(t types.Type, slow func(dst []byte, x int64) []byte) Kernel {
	tables := &dayTables[int64]{f: ofDay(partsOfDay)}
	return func(rt *Runtime, args []*vec.Vector, out *vec.Vector) error {
		a, dst, m, n := args[0].I64, out.Str, mask(args[0]), len(s.text)
		days := rt.daysOf(args[0], t, len(dst))
		table := tables.of(rt, days)
		room := rt.stamped(s.text, len(dst))
		all := unsafe.String(unsafe.SliceData(room), len(room))
		var parts [stampParts]uint8
		for i, day := range days {
			if out.Null != nil && out.Null[i] {
				continue
			}
			var packed int64
			if table != nil {
				packed = table.values[day-table.lo]
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
				write(row, s.micros, &parts)
			}
			write(row, s.pairs, &parts)
			dst[i] = all[at : at+n]
		}
		return nil
	}
}

// write writes pairs of digits over a text.
func write(row []byte, pairs []stampPair, parts *[stampParts]uint8) {
	for _, p := range pairs {
		*(*[2]byte)(row[p.at:]) = digitPairs[parts[p.part%stampParts]]
	}
}

// stamped gives room for n texts, each of which begins as text.
func (rt *Runtime) stamped(text []byte, n int) []byte {
	b := rt.room(n * len(text))
	b = append(b, text...)
	for want := n * len(text); len(b) < want; {
		b = append(b, b[:min(len(b), want-len(b))]...)
	}
	rt.keep(b)
	return b
}

// digitPairs are the numbers of two digits.
var digitPairs = func() (pairs [100][2]byte) {
	for i := range pairs {
		pairs[i] = [2]byte{'0' + byte(i/10), '0' + byte(i%10)}
	}
	return pairs
}()
