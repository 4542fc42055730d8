// Command hash judges hash functions of integer keys by what joins and groups need of them, and writes
// a table:
//
//	go run ./bench/hash [-out docs/measurements/hashes.md] [-keys 20]
//
// The keys are consecutive, multiples of powers of two and of ten, and random; a figure is the worst
// of them. Gerber (Hashing and hash joins on multi-GPU systems, 2021) compares such functions by
// distribution, distance of neighbours, collisions and speed; avalanche and the low bits are added
// here, as partitions are chosen by the low bits.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"strings"
)

func main() {
	out := flag.String("out", "docs/measurements/hashes.md", "file of the table")
	bits := flag.Uint("keys", 20, "binary logarithm of the number of keys of each kind")
	flag.Parse()
	if err := os.WriteFile(*out, []byte(table(*bits)), 0o644); err != nil {
		log.Fatal(err)
	}
}

const intro = `# Hash functions of integer keys

Made by ` + "`go run ./bench/hash`" + `, 2^%d keys of each kind; a figure is the worst over consecutive keys, multiples of powers of two and of ten, and random keys.

- **chi**: chi-square of 4,096 buckets by the lowest 12 bits over its expectation; 1 is random, less is more even.
- **high**: the same by the highest 12 bits.
- **part**: rows of the largest of 256 partitions by the lowest 8 bits over the mean.
- **distance**: the mean distance of the hashes of neighbouring keys on the ring of all hashes, over that of random ones; the one furthest from 1.
- **avalanche**: by how much the probability that an input bit flips an output bit differs from one half, for the worst pair of bits; 0.5 is a bit that never or always flips.
- **collisions**: equal hashes of different keys; n means that the function is a bijection and has none, whatever the keys.
- **time**: of the function in use, on one core, interleaved runs; on a device reading the keys takes longer than any of them.

| function | bits | chi | high | part | distance | avalanche | collisions | time |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
`

// table returns the report.
func table(bits uint) string {
	var b strings.Builder
	fmt.Fprintf(&b, intro, bits)
	for _, width := range []uint{32, 64} {
		all := candidates(width)
		times := relativeTimes(all)
		for i, c := range all {
			q := judge(c, bits)
			collisions := fmt.Sprint(q.collisions)
			if c.bijective {
				collisions = "n"
			}
			name := c.name
			if c.used {
				name = "**" + name + "** (in use)"
			}
			fmt.Fprintf(&b, "| %s | %d | %.3g | %.3g | %.3g | %.2f | %.3f | %s | %.2f |\n", name, c.width, q.low, q.high, q.part, q.distance, q.avalanche, collisions, times[i])
		}
	}
	b.WriteString(`
The functions in use are bijections, so that hashes stand for the keys themselves in partitions and tables, and are the only ones
here beside MurmurHash3's finaliser that are random in every column. The two differ by no more
than the error of these figures. One multiplication leaves the low bits of multiples of powers of two equal, by which rows are partitioned; reversing the bits
moves this to the high bits. XOR and addition with rotation and reversal keep neighbours neighbours.
`)
	return b.String()
}
