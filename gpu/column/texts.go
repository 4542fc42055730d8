package column

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// Larger dictionaries are refused: their host memory and the time to sort them would cost more than
// the device saves, and tables indexed by code would not fit in caches.
const (
	maxTexts     = 1 << 24
	maxTextBytes = 1 << 30
)

// textBytes is the memory that a text takes in addition to its bytes: in the map, in the list and
// its order, and in the lists that are united.
const textBytes = 96

// reservedAtOnce is the number of bytes of texts that are reserved at a time.
const reservedAtOnce = 64 << 10

// Texts numbers the distinct texts of a column in order of appearance. It must be used by one
// goroutine only.
type Texts struct {
	reserve func(bytes int64) error
	number  map[string]int32
	texts   []string
	order   []int32 // numbers by ascending text; set by sort
	bytes   int64   // of the texts
	pending int64   // bytes that have not been reserved
	// The numbers of the last dictionary's texts, -1 for texts that have not appeared.
	dict    *vec.Vector
	numbers []int32
}

func newTexts(reserve func(bytes int64) error) *Texts {
	return &Texts{reserve: reserve, number: map[string]int32{}}
}

// codes stores the numbers of the rows idx of base, or of its first rows if idx is nil; 0 for NULLs.
func (t *Texts) codes(dst []int64, base *vec.Vector, idx []int32) error {
	var err error
	if idx == nil {
		err = t.each(dst, base)
	} else {
		if !base.Dict || t.dict != base {
			t.dict = base
			t.forget(len(base.Str))
		}
		err = t.ofSlots(dst, base, idx)
	}
	if err == nil && t.pending >= reservedAtOnce {
		err = t.settle()
	}
	return err
}

// forget resets numbers to those of n texts that have not appeared.
func (t *Texts) forget(n int) {
	if n > cap(t.numbers) {
		t.pending += int64(n-cap(t.numbers)) * 4
	}
	t.numbers = sized(t.numbers, n)
	for i := range t.numbers {
		t.numbers[i] = -1
	}
}

func (t *Texts) each(dst []int64, v *vec.Vector) error {
	for i := range dst {
		dst[i] = 0
		if v.Null == nil || !v.Null[i] {
			n, err := t.add(v.Str[i], false)
			if err != nil {
				return err
			}
			dst[i] = int64(n)
		}
	}
	return nil
}

// slotsAtOnce is the number of rows whose slots are assumed to be known, until one is not.
const slotsAtOnce = 1 << 10

// ofSlots looks each slot of base up once.
func (t *Texts) ofSlots(dst []int64, base *vec.Vector, idx []int32) error {
	for from := 0; from < len(idx); from += slotsAtOnce {
		to := min(from+slotsAtOnce, len(idx))
		if base.Null == nil && known(dst[from:to], t.numbers, idx[from:to]) {
			continue
		}
		if err := t.look(dst[from:to], base, idx[from:to]); err != nil {
			return err
		}
	}
	return nil
}

// known stores the numbers of slots. It reports whether all slots have a number and none is NULL.
func known(dst []int64, numbers, idx []int32) bool {
	var signs int32
	dst = dst[:len(idx)]
	for i, row := range idx {
		if uint(row) >= uint(len(numbers)) {
			return false
		}
		n := numbers[row]
		signs |= n
		dst[i] = int64(n)
	}
	return signs >= 0
}

// look stores the numbers of slots and assigns numbers to slots without one.
func (t *Texts) look(dst []int64, base *vec.Vector, idx []int32) error {
	for i, row := range idx {
		dst[i] = 0
		if row < 0 || base.Null != nil && base.Null[row] {
			continue
		}
		n := t.numbers[row]
		if n < 0 {
			var err error
			if n, err = t.add(base.Str[row], base.Dict); err != nil {
				return err
			}
			t.numbers[row] = n
		}
		dst[i] = int64(n)
	}
	return nil
}

// add returns the number of a text. stays is set if the text remains valid without being copied.
func (t *Texts) add(s string, stays bool) (int32, error) {
	if n, ok := t.number[s]; ok {
		return n, nil
	}
	if t.bytes += int64(len(s)); len(t.texts) >= maxTexts || t.bytes > maxTextBytes {
		return 0, tooManyTexts
	}
	t.pending += textBytes
	if !stays {
		t.pending += int64(len(s))
		s = strings.Clone(s)
	}
	if t.pending >= reservedAtOnce {
		if err := t.settle(); err != nil {
			return 0, err
		}
	}
	n := int32(len(t.texts))
	t.number[s] = n
	t.texts = append(t.texts, s)
	return n, nil
}

// settle reserves the bytes that have not been reserved yet.
func (t *Texts) settle() error {
	n := t.pending
	t.pending = 0
	return t.reserve(n)
}

// Sort sorts the texts. It is called after the last Pack.
func (t *Texts) Sort() error {
	t.number, t.dict, t.numbers = nil, nil, nil
	t.order = make([]int32, len(t.texts))
	for i := range t.order {
		t.order[i] = int32(i)
	}
	slices.SortFunc(t.order, func(a, b int32) int { return strings.Compare(t.texts[a], t.texts[b]) })
	return t.settle()
}

// sorted returns the texts in ascending order.
func (t *Texts) sorted() []string {
	out := make([]string, len(t.order))
	for i, n := range t.order {
		out[i] = t.texts[n]
	}
	return out
}

// Unite returns the dictionary of all sorted texts, and for each Texts its codes by number. The
// texts are copied. reserve is called with the size of the dictionary in bytes.
func Unite(all []*Texts, reserve func(bytes int64) error) (*Dictionary, [][]uint32, error) {
	lists, codes := make([][]string, max(len(all), 1)), make([][]uint32, len(all))
	err := parallel(len(all), func(i int) { lists[i] = all[i].sorted() })
	for len(lists) > 1 && err == nil {
		half := (len(lists) + 1) / 2
		err = parallel(len(lists)-half, func(i int) { lists[i] = merged(lists[i], lists[half+i]) })
		lists = lists[:half]
	}
	if err != nil {
		return nil, nil, err
	}
	texts, bytes := lists[0], 0
	for _, s := range texts {
		bytes += len(s)
	}
	if len(texts) > maxTexts || bytes > maxTextBytes {
		return nil, nil, tooManyTexts
	}
	d := &Dictionary{Texts: texts}
	if err := reserve(d.Bytes()); err != nil {
		return nil, nil, err
	}
	err = parallel(len(all), func(i int) { codes[i] = all[i].codesIn(texts) })
	copied(texts, bytes)
	return d, codes, err
}

// parallel calls f with each number below n in a goroutine of its own.
func parallel(n int, f func(i int)) error {
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { errs[i] = sqlerr.Guard(func() error { f(i); return nil }) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// merged returns the union of two ascending lists.
func merged(a, b []string) []string {
	if len(a) == 0 || len(b) == 0 {
		return append(a, b...)
	}
	out := make([]string, 0, max(len(a), len(b)))
	for len(a) > 0 && len(b) > 0 {
		order := strings.Compare(a[0], b[0])
		if order <= 0 {
			out, a = append(out, a[0]), a[1:]
		} else {
			out = append(out, b[0])
		}
		if order >= 0 {
			b = b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// codesIn returns the positions of t's texts, by their numbers, in ascending texts that include
// them.
func (t *Texts) codesIn(texts []string) []uint32 {
	codes, at := make([]uint32, len(t.texts)), 0
	for _, n := range t.order {
		for texts[at] != t.texts[n] {
			at++
		}
		codes[n] = uint32(at)
	}
	return codes
}

// copied replaces the texts, which have the given total size, by copies in one block of memory.
func copied(texts []string, bytes int) {
	var all strings.Builder
	all.Grow(bytes)
	for _, s := range texts {
		all.WriteString(s)
	}
	rest := all.String()
	for i, s := range texts {
		texts[i], rest = rest[:len(s)], rest[len(s):]
	}
}

// Bytes returns the host memory of the dictionary.
func (d *Dictionary) Bytes() (bytes int64) {
	if d == nil {
		return 0
	}
	for _, s := range d.Texts {
		bytes += int64(len(s))
	}
	return bytes + int64(len(d.Texts))*int64(unsafe.Sizeof(""))
}
