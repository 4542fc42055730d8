package ptx

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
)

const testHead = ".version 7.0\n.target sm_70\n.address_size 64\n.extern .shared .align 16 .b8 block_memory[];\n"

// kernelText is a kernel of three parameters and registers of each class.
func kernelText(body string) string {
	return testHead + `.visible .entry k(.param .u64 arg0, .param .u64 arg1, .param .u64 arg2)
{
	.reg .pred %p<20>;
	.reg .b32 %r<20>;
	.reg .b64 %d<20>;
	.reg .f64 %f<20>;
` + body + "\n}\n"
}

// buffers are global memory: buffer i lies at (i+1) << 32.
type buffers [][]byte

func (b buffers) Find(p uint64) ([]byte, uint64) {
	n := p >> 32
	if n == 0 || n > uint64(len(b)) {
		return nil, 0
	}
	return b[n-1], n << 32
}

func (b buffers) args() (out []uint64) {
	for i := range b {
		out = append(out, uint64(i+1)<<32)
	}
	return out
}

// words returns a buffer's 64-bit words.
func words(raw []byte) []uint64 {
	out := make([]uint64, len(raw)/8)
	for i := range out {
		out[i] = binary.LittleEndian.Uint64(raw[8*i:])
	}
	return out
}

func fromWords(values ...uint64) []byte {
	var raw []byte
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint64(raw, v)
	}
	return raw
}

// run runs a body with three buffers as arguments.
func run(t *testing.T, body string, how Launch, memory buffers) error {
	t.Helper()
	m, err := Parse(kernelText(body))
	if err != nil {
		t.Fatal(err)
	}
	if how.Steps == 0 {
		how.Steps = 1 << 20
	}
	return m.Run("k", how, memory.args(), memory)
}

// evaluate returns what an instruction computes from in. types are the classes of its result and of
// its operands.
func evaluate(t *testing.T, op, types string, in ...uint64) uint64 {
	t.Helper()
	var b strings.Builder
	b.WriteString("ld.param.u64 %d10, [arg0];\nld.param.u64 %d11, [arg1];\n")
	names := []string{"%" + types[:1] + "9"}
	for i := range in {
		n, class := i+1, types[i+1]
		fmt.Fprintf(&b, "ld.global.u64 %%d%d, [%%d11+%d];\n", n, 8*i)
		switch class {
		case 'r':
			fmt.Fprintf(&b, "cvt.u32.u64 %%r%d, %%d%d;\n", n, n)
		case 'f':
			fmt.Fprintf(&b, "mov.b64 %%f%d, %%d%d;\n", n, n)
		case 'p':
			fmt.Fprintf(&b, "setp.ne.u64 %%p%d, %%d%d, 0;\n", n, n)
		}
		names = append(names, fmt.Sprintf("%%%c%d", class, n))
	}
	b.WriteString(op + " " + strings.Join(names, ", ") + ";\n")
	switch types[0] {
	case 'r':
		b.WriteString("cvt.u64.u32 %d9, %r9;\n")
	case 'f':
		b.WriteString("mov.b64 %d9, %f9;\n")
	case 'p':
		b.WriteString("selp.b64 %d9, 1, 0, %p9;\n")
	}
	b.WriteString("st.global.b64 [%d10], %d9;\nret;")
	memory := buffers{make([]byte, 8), fromWords(in...), nil}
	if err := run(t, b.String(), Launch{Blocks: 1, Threads: 1}, memory); err != nil {
		t.Fatalf("%s of %x: %v", op, in, err)
	}
	return words(memory[0])[0]
}
