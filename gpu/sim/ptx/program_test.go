package ptx

import (
	"slices"
	"testing"
)

// The first parameter of each program is where results go, the second is input.
const programBegin = `ld.param.u64 %d1, [arg0];
ld.param.u64 %d2, [arg1];
mov.u32 %r1, %tid.x;
`

var programTexts = map[string]string{
	// A tree over shared memory: thread 0 of each block writes the sum of the block's words.
	"reduce": programBegin + `mov.u32 %r2, %ctaid.x;
mad.lo.u32 %r3, %r2, 128, %r1;
mad.wide.u32 %d3, %r3, 8, %d2;
ld.global.u64 %d4, [%d3];
mov.u32 %r4, block_memory;
mad.lo.u32 %r5, %r1, 8, %r4;
st.shared.b64 [%r5], %d4;
bar.sync 0;
mov.b32 %r6, 64;
HALVE:
setp.ge.u32 %p1, %r1, %r6;
@%p1 bra REST;
mad.lo.u32 %r7, %r6, 8, %r5;
ld.shared.b64 %d5, [%r5];
ld.shared.b64 %d6, [%r7];
add.u64 %d5, %d5, %d6;
st.shared.b64 [%r5], %d5;
REST:
bar.sync 0;
shr.u32 %r6, %r6, 1;
setp.ne.u32 %p2, %r6, 0;
@%p2 bra HALVE;
setp.ne.u32 %p3, %r1, 0;
@%p3 ret;
mad.wide.u32 %d7, %r2, 8, %d1;
ld.shared.b64 %d5, [block_memory];
st.global.b64 [%d7], %d5;
ret;`,
	// One warp moves the words that are at least 100 to the front, and writes their number before them.
	"compact": programBegin + `mad.wide.u32 %d3, %r1, 8, %d2;
ld.global.u64 %d4, [%d3];
setp.ge.u64 %p1, %d4, 100;
vote.sync.ballot.b32 %r2, %p1, -1;
mov.u32 %r3, %lanemask_lt;
and.b32 %r3, %r3, %r2;
popc.b32 %r4, %r3;
mad.wide.u32 %d5, %r4, 8, %d1;
@%p1 st.global.b64 [%d5+8], %d4;
popc.b32 %r5, %r2;
setp.eq.u32 %p2, %r1, 0;
cvt.u64.u32 %d6, %r5;
@%p2 st.global.b64 [%d1], %d6;
ret;`,
	// A table of 256 slots, 0 being free, which takes every key once.
	"hash": programBegin + `mov.u32 %r2, %ctaid.x;
mad.lo.u32 %r3, %r2, 64, %r1;
mad.wide.u32 %d3, %r3, 8, %d2;
ld.global.u64 %d4, [%d3];
cvt.u32.u64 %r4, %d4;
PROBE:
and.b32 %r4, %r4, 255;
mad.wide.u32 %d5, %r4, 8, %d1;
atom.global.cas.b64 %d6, [%d5], 0, %d4;
setp.eq.u64 %p1, %d6, 0;
@%p1 bra DONE;
setp.eq.u64 %p1, %d6, %d4;
@%p1 bra DONE;
add.u32 %r4, %r4, 1;
bra PROBE;
DONE:
ret;`,
	// The number of steps of the Collatz sequence, which differs from lane to lane; then a shuffle, for
	// which all must be there again.
	"diverge": programBegin + `mad.wide.u32 %d3, %r1, 8, %d2;
ld.global.u64 %d4, [%d3];
mov.b32 %r2, 0;
LOOP:
setp.eq.u64 %p1, %d4, 1;
@%p1 bra END;
add.u32 %r2, %r2, 1;
and.b64 %d5, %d4, 1;
setp.eq.u64 %p2, %d5, 0;
@%p2 bra EVEN;
mul.lo.u64 %d4, %d4, 3;
add.u64 %d4, %d4, 1;
bra LOOP;
EVEN:
shr.u64 %d4, %d4, 1;
bra LOOP;
END:
shfl.sync.bfly.b32 %r3, %r2, 1, 31, -1;
mov.b64 %d6, {%r2, %r3};
mad.wide.u32 %d7, %r1, 8, %d1;
st.global.b64 [%d7], %d6;
ret;`,
}

func runProgram(t *testing.T, name string, how Launch, words64 int, in []uint64) []uint64 {
	t.Helper()
	memory := buffers{make([]byte, 8*words64), fromWords(in...), nil}
	if err := run(t, programTexts[name], how, memory); err != nil {
		t.Fatal(err)
	}
	return words(memory[0])
}

// sequence returns n numbers that look random.
func sequence(n int) []uint64 {
	out := make([]uint64, n)
	for i := range out {
		out[i] = uint64(i*i*7919+i*31)%251 + 1
	}
	return out
}

func TestReduce(t *testing.T) {
	in := sequence(3 * 128)
	got := runProgram(t, "reduce", Launch{Blocks: 3, Threads: 128, Shared: 1024}, 3, in)
	want := make([]uint64, 3)
	for i, v := range in {
		want[i/128] += v
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestCompact(t *testing.T) {
	for _, threads := range []int{32, 11} {
		in := sequence(threads)
		want := make([]uint64, 33)
		for _, v := range in {
			if v >= 100 {
				want[0]++
				want[want[0]] = v
			}
		}
		if got := runProgram(t, "compact", Launch{Blocks: 1, Threads: threads}, 33, in); !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
}

func TestHash(t *testing.T) {
	in := sequence(4 * 64)
	got := runProgram(t, "hash", Launch{Blocks: 4, Threads: 64}, 256, in)
	slices.Sort(got)
	want := slices.Clone(in)
	slices.Sort(want)
	want = slices.Compact(want)
	want = slices.Concat(make([]uint64, 256-len(want)), want)
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestDiverge(t *testing.T) {
	in := sequence(64)
	steps := make([]uint64, len(in))
	for i, v := range in {
		for ; v != 1; steps[i]++ {
			if v%2 == 1 {
				v = 3*v + 1
			} else {
				v /= 2
			}
		}
	}
	got := runProgram(t, "diverge", Launch{Blocks: 1, Threads: 64}, 64, in)
	for i := range got {
		if want := steps[i] | steps[i^1]<<32; got[i] != want {
			t.Errorf("thread %d: %#x, want %#x", i, got[i], want)
		}
	}
}

// BenchmarkReduce measures 64 blocks of 128 threads, each of about 110 instructions.
func BenchmarkReduce(b *testing.B) {
	m, err := Parse(kernelText(programTexts["reduce"]))
	if err != nil {
		b.Fatal(err)
	}
	memory := buffers{make([]byte, 8*64), fromWords(sequence(64 * 128)...), nil}
	for b.Loop() {
		if err := m.Run("k", Launch{Blocks: 64, Threads: 128, Shared: 1024}, memory.args(), memory); err != nil {
			b.Fatal(err)
		}
	}
}
