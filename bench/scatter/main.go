// Command scatter measures how much time software write-combining (Balkesen, Teubner, Alonso and
// Özsu, Main-Memory Hash Joins on Multi-Core CPUs, 2013, section 4) saves in the scattering pass of a
// radix join. The pass distributes codes of 8 bytes and their row numbers among partitions by the top
// bits of the codes' hashes.
//
//	direct     writes each code and row number to its place
//	combining  writes them in groups, past the caches (simd.Scatter), as joins do with many partitions
//	digits     the part that both have in common: the hashes and their top bits
//
// Times are processor times of one core: the least of several turns, in which the ways alternate. It
// writes a table in Markdown.
package main

import (
	"fmt"
	"math/rand/v2"

	"gsql/exec/rowhash"
	"gsql/internal/cputime"
	"gsql/internal/mem"
	"gsql/internal/simd"
)

const (
	turns = 9
	block = 2048
)

func main() {
	if simd.Best() == simd.None {
		fmt.Println("The processor lacks the instructions.")
		return
	}
	fmt.Println("Scattering codes to the partitions of a radix join, ns a row of one core.")
	fmt.Println()
	fmt.Println("| rows | partitions | direct | combining | digits |")
	fmt.Println("| ---: | ---: | ---: | ---: | ---: |")
	for _, rows := range []int{1 << 15, 1 << 17, 1 << 19, 1 << 21, 1 << 23} {
		for fanOut := 16; fanOut <= min(4096, rows/64); fanOut *= 4 {
			measure(rows, fanOut)
		}
	}
}

func measure(rows, fanOut int) {
	s := newScatter(rows, fanOut)
	defer s.held.free()
	ways := []func(){s.direct, s.combining, func() { s.each(func(int, []uint64) {}) }}
	best := make([]float64, len(ways))
	repeat := max(1, 1<<20/rows)
	for turn := range turns {
		for i, way := range ways {
			before := cputime.Used()
			for range repeat {
				way()
			}
			if ns := float64((cputime.Used() - before).Nanoseconds()) / float64(rows*repeat); turn == 0 || ns < best[i] {
				best[i] = ns
			}
			if i < 2 {
				s.check()
			}
		}
	}
	fmt.Printf("| %d | %d | %.2f | %.2f | %.2f |\n", rows, fanOut, best[0], best[1], best[2])
}

// held are buffers outside the Go heap, like those of joins.
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

// scatter holds the inputs and outputs of a pass.
type scatter struct {
	codes, outCodes, groups []uint64
	rows, outRows           []int32
	start, next             []int32 // by partition
	shift                   uint
	digits                  [block]uint16
	held                    held
}

func newScatter(rows, fanOut int) *scatter {
	s := &scatter{shift: 64}
	for n := 1; n < fanOut; n *= 2 {
		s.shift--
	}
	s.codes, s.outCodes = alloc[uint64](&s.held, rows), alloc[uint64](&s.held, rows)
	s.rows, s.outRows = alloc[int32](&s.held, rows), alloc[int32](&s.held, rows)
	s.groups = alloc[uint64](&s.held, fanOut*simd.ScatterWords)
	s.start, s.next = make([]int32, fanOut+1), make([]int32, fanOut)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range s.codes {
		s.codes[i], s.rows[i] = r.Uint64(), int32(i)
		s.start[s.of(s.codes[i])+1]++
	}
	for i := range fanOut {
		s.start[i+1] += s.start[i]
	}
	return s
}

func (s *scatter) of(c uint64) uint64 { return rowhash.Mix(c) >> s.shift }

// check panics unless every code is in its partition, with its row number. It clears the output.
func (s *scatter) check() {
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

// each computes the digits of one block of codes after another and calls f for each block.
func (s *scatter) each(f func(from int, codes []uint64)) {
	copy(s.next, s.start)
	for from := 0; from < len(s.codes); from += block {
		part := s.codes[from : from+block]
		simd.HashDigits(s.digits[:], part, s.shift)
		f(from, part)
	}
}

func (s *scatter) direct() {
	next, codes, rows := s.next, s.outCodes, s.outRows
	s.each(func(from int, part []uint64) {
		in := s.rows[from:][:len(part)]
		for i, x := range s.digits[:len(part)] {
			at := next[x]
			next[x] = at + 1
			codes[at], rows[at] = part[i], in[i]
		}
	})
}

func (s *scatter) combining() {
	s.each(func(from int, part []uint64) {
		simd.Scatter(part, s.rows[from:], s.digits[:], s.next, s.start, s.groups, s.outCodes, s.outRows)
	})
	simd.ScatterRest(s.next, s.start, s.groups, s.outCodes, s.outRows)
}
