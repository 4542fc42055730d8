// Command scatter measures what software write-combining (Balkesen, Teubner, Alonso and Özsu,
// Main-Memory Hash Joins on Multi-Core CPUs, 2013, section 4) would save of the scattering pass
// of a radix join: codes with numbers of their rows, to so many partitions by the top bits of
// their hashes.
//
//	direct     each code and row number goes to its place, as package join has it
//	combining  they go to a cache line of the partition, which is copied when it is full
//	streaming  the same, copied past the caches (on amd64, with AVX2)
//
// Times are of one core's processor time, the least of several turns that take turns. It writes
// a table in Markdown.
package main

import (
	"fmt"
	"math/rand/v2"
	"unsafe"

	"gsql/exec/rowhash"
	"gsql/internal/cputime"
	"gsql/internal/mem"
)

const (
	lineBytes = 64
	turns     = 9
)

func main() {
	fmt.Println("Scattering codes to the partitions of a radix join, ns a row of one core.")
	fmt.Println()
	fmt.Println("| bytes of a code | rows | partitions | direct | combining | streaming |")
	fmt.Println("| ---: | ---: | ---: | ---: | ---: | ---: |")
	for _, rows := range []int{1 << 21, 1 << 23} {
		for _, fanOut := range []int{64, 128, 256, 512, 1024, 4096} {
			measure[uint32](rows, fanOut)
			measure[uint64](rows, fanOut)
		}
	}
}

func measure[C uint32 | uint64](rows, fanOut int) {
	s := newScatter[C](rows, fanOut)
	defer s.held.free()
	ways := []func(){s.direct, func() { s.combining(false) }, func() { s.combining(true) }}
	best := make([]float64, len(ways))
	for turn := range turns {
		for i, way := range ways {
			before := cputime.Used()
			way()
			if ns := float64((cputime.Used() - before).Nanoseconds()) / float64(rows); turn == 0 || ns < best[i] {
				best[i] = ns
			}
			s.check()
		}
	}
	fmt.Printf("| %d | %d | %d | %.2f | %.2f | %.2f |\n", unsafe.Sizeof(C(0)), rows, fanOut, best[0], best[1], best[2])
}

// held are buffers off the Go heap, as joins have them.
type held []interface{ Free() }

func (h held) free() {
	for _, b := range h {
		b.Free()
	}
}

func alloc[T any](h *held, n int) []T {
	b, err := mem.Alloc[T](mem.NewRoot("scatter", 0), n)
	if err != nil {
		panic(err) // there is no limit
	}
	*h = append(*h, b)
	return b.S
}

// scatter is one pass.
type scatter[C uint32 | uint64] struct {
	codes, outCodes []C
	rows, outRows   []int32
	start, next     []int32 // of the partitions
	shift           uint
	perLine         int32  // codes
	lines, rowLines []byte // aligned; a line of codes and the rows of as many for each partition
	held            held
}

func newScatter[C uint32 | uint64](rows, fanOut int) *scatter[C] {
	s := &scatter[C]{shift: 64, perLine: int32(lineBytes / unsafe.Sizeof(C(0)))}
	for n := 1; n < fanOut; n *= 2 {
		s.shift--
	}
	s.codes, s.outCodes = alloc[C](&s.held, rows), alloc[C](&s.held, rows)
	s.rows, s.outRows = alloc[int32](&s.held, rows), alloc[int32](&s.held, rows)
	s.lines, s.rowLines = alloc[byte](&s.held, fanOut*lineBytes), alloc[byte](&s.held, fanOut*lineBytes)
	s.start, s.next = make([]int32, fanOut+1), make([]int32, fanOut)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range s.codes {
		s.codes[i], s.rows[i] = C(r.Uint64()), int32(i)
		s.start[s.of(s.codes[i])+1]++
	}
	for i := range fanOut {
		s.start[i+1] += s.start[i]
	}
	return s
}

func (s *scatter[C]) of(c C) uint64 { return rowhash.Mix(uint64(c)) >> s.shift }

// check panics unless the codes lie in their partitions, with their rows, and clears them.
func (s *scatter[C]) check() {
	for x := range s.next {
		for at := s.start[x]; at < s.start[x+1]; at++ {
			if c := s.outCodes[at]; s.codes[s.outRows[at]] != c || s.of(c) != uint64(x) {
				panic("a code is in the wrong place")
			}
		}
	}
	clear(s.outCodes)
	clear(s.outRows)
}

func (s *scatter[C]) direct() {
	next, codes, rows, shift := s.next, s.outCodes, s.outRows, s.shift
	copy(next, s.start)
	in := s.rows[:len(s.codes)]
	for i, c := range s.codes {
		x := rowhash.Mix(uint64(c)) >> shift
		at := next[x]
		next[x] = at + 1
		codes[at], rows[at] = c, in[i]
	}
}

// combining keeps a code at the place in its partition's line that it has in its line of memory.
func (s *scatter[C]) combining(past bool) {
	next, shift, full := s.next, s.shift, s.perLine-1
	copy(next, s.start)
	in := s.rows[:len(s.codes)]
	lines := unsafe.Slice((*C)(unsafe.Pointer(&s.lines[0])), len(next)*int(s.perLine))
	rowLines := unsafe.Slice((*int32)(unsafe.Pointer(&s.rowLines[0])), len(next)*lineBytes/4)
	for i, c := range s.codes {
		x := rowhash.Mix(uint64(c)) >> shift
		at := next[x]
		next[x] = at + 1
		k, rowAt := int(x)*int(s.perLine)+int(at&full), int(x)*lineBytes/4+int(at&15)
		lines[k], rowLines[rowAt] = c, in[i]
		if at&full == full {
			flush(s.outCodes, lines[k-int(full):k+1], s.start[x], at, past)
		}
		if at&15 == 15 {
			flush(s.outRows, rowLines[rowAt-15:rowAt+1], s.start[x], at, past)
		}
	}
	for x, end := range next {
		from := max(end&^full, s.start[x])
		copy(s.outCodes[from:end], lines[x*int(s.perLine)+int(from&full):])
		from = max(end&^15, s.start[x])
		copy(s.outRows[from:end], rowLines[x*lineBytes/4+int(from&15):])
	}
}

// flush writes a line, whose last element goes to place last; what is before start belongs to
// another partition.
func flush[T any](dst, line []T, start, last int32, past bool) {
	from := last + 1 - int32(len(line))
	switch {
	case from < start:
		copy(dst[start:last+1], line[start-from:])
	case past:
		stream(unsafe.Pointer(&dst[from]), unsafe.Pointer(&line[0]))
	default:
		*(*[lineBytes]byte)(unsafe.Pointer(&dst[from])) = *(*[lineBytes]byte)(unsafe.Pointer(&line[0]))
	}
}
