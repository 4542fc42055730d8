package main

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"
)

// quality is what main's table says of a function.
type quality struct {
	low, high, part, distance, avalanche float64
	collisions                           int
}

// keySets returns n keys of each kind.
func keySets(width, n uint) [][]uint64 {
	count := uint64(1) << n
	r := rand.New(rand.NewPCG(1, 2))
	mask := ^uint64(0) >> (64 - width)
	kinds := []func(i uint64) uint64{
		func(i uint64) uint64 { return i },
		func(i uint64) uint64 { return i << 4 },
		func(i uint64) uint64 { return i << (width - n) },
		func(i uint64) uint64 { return i * 10 },
		func(i uint64) uint64 { return i * 1000 },
		func(uint64) uint64 { return r.Uint64() },
	}
	var sets [][]uint64
	for _, key := range kinds {
		set := make([]uint64, count)
		for i := range set {
			set[i] = key(uint64(i)) & mask
		}
		sets = append(sets, set)
	}
	return sets
}

func judge(c candidate, n uint) quality {
	q := quality{distance: 1, avalanche: avalanche(c, 1<<min(n, 16))}
	for _, keys := range keySets(c.width, n) {
		hashes := make([]uint64, len(keys))
		for i, k := range keys {
			hashes[i] = c.hash(k)
		}
		q.low = max(q.low, chi(hashes, func(h uint64) uint64 { return h & 4095 }))
		q.high = max(q.high, chi(hashes, func(h uint64) uint64 { return h >> (c.width - 12) }))
		q.part = max(q.part, largest(hashes))
		if d := distance(hashes, c.width); math.Abs(d-1) > math.Abs(q.distance-1) {
			q.distance = d
		}
		q.collisions = max(q.collisions, collisions(keys, hashes))
	}
	return q
}

// chi returns the chi-square statistic of 4,096 buckets over its expectation, which is close to the
// degrees of freedom.
func chi(hashes []uint64, bucket func(h uint64) uint64) float64 {
	const buckets = 4096
	var counts [buckets]float64
	for _, h := range hashes {
		counts[bucket(h)]++
	}
	mean, sum := float64(len(hashes))/buckets, 0.0
	for _, c := range counts {
		sum += (c - mean) * (c - mean) / mean
	}
	return sum / (buckets - 1)
}

// largest returns the rows of the largest of 256 parts by the low bits over the mean.
func largest(hashes []uint64) float64 {
	var counts [256]int
	for _, h := range hashes {
		counts[h&255]++
	}
	return float64(slices.Max(counts[:])) * 256 / float64(len(hashes))
}

// distance returns the mean distance of successive hashes on the ring of all hashes, over the quarter
// of the ring that random ones have.
func distance(hashes []uint64, width uint) float64 {
	ring := math.Ldexp(1, int(width))
	sum := 0.0
	for i := 1; i < len(hashes); i++ {
		d := math.Abs(float64(hashes[i]) - float64(hashes[i-1]))
		sum += min(d, ring-d)
	}
	return sum / float64(len(hashes)-1) / (ring / 4)
}

// collisions returns how many hashes of different keys repeat one that came before.
func collisions(keys, hashes []uint64) int {
	distinct := func(values []uint64) int {
		sorted := slices.Sorted(slices.Values(values))
		return len(slices.Compact(sorted))
	}
	return distinct(keys) - distinct(hashes)
}

// avalanche returns the largest deviation from one half of the probability that flipping an input bit
// flips an output bit, estimated from random keys: the standard error of 2^16 is 0.002.
func avalanche(c candidate, samples int) float64 {
	r := rand.New(rand.NewPCG(3, 4))
	flips := make([]int, c.width*c.width)
	mask := ^uint64(0) >> (64 - c.width)
	for range samples {
		key := r.Uint64() & mask
		h := c.hash(key)
		for in := range c.width {
			changed := h ^ c.hash(key^1<<in)
			for out := range c.width {
				flips[in*c.width+out] += int(changed >> out & 1)
			}
		}
	}
	worst := 0.0
	for _, n := range flips {
		worst = max(worst, math.Abs(float64(n)/float64(samples)-0.5))
	}
	return worst
}

// relativeTimes returns the functions' times over the first one's: the least of interleaved runs.
func relativeTimes(all []candidate) []float64 {
	const runs, keys = 15, 1 << 18
	least := make([]float64, len(all))
	var sum uint64 // keeps the compiler from leaving hashes out
	defer func() { runtime.KeepAlive(sum) }()
	for range runs {
		for i, c := range all {
			began := time.Now()
			for k := range uint64(keys) {
				sum += c.hash(k)
			}
			if took := time.Since(began).Seconds(); least[i] == 0 || took < least[i] {
				least[i] = took
			}
		}
	}
	first := least[0]
	for i := range least {
		least[i] /= first
	}
	return least
}
