package ptx

import (
	"strings"
	"testing"
)

// TestParseRefuses: an assembler would refuse these, or they are not known here.
func TestParseRefuses(t *testing.T) {
	for _, test := range []struct{ code, want string }{
		{"add.s32 %r1, 1", "2 operands, not 3"},
		{"add.s32 %r1, %r2, %r3, %r4", "4 operands, not 3"},
		{"setp.eq.u32 %p1", "1 operands, not 3"},
		{"selp.b32 %r1, 1", "2 operands, not 4"},
		{"shfl.sync.idx.b32 %r1, %r2", "2 operands, not 5"},
		{"bra", "0 operands, not 1"},
		{"ld", "ld is not known"},
		{"add.cc.s64 %d1, %d2, 1", "add.cc.s64 is not known"},
		{"and.s32 %r1, %r2, 3", "and.s32 is not known"},
		{"shl.s64 %d1, %d2, 3", "shl.s64 is not known"},
		{"add.f64 %f1, %f2, %f3", "add.f64 is not known"},
		{"clz.b64 %r1, %d1", "clz.b64 is not known"},
		{"bar.red.or.pred %p1, 0, %p2", "is not known"},
		{"ld.global.s8 %r1, [%d2]", "is not known"},
		{"ld.global.f32 %r1, [%d2]", "is not known"},
		{"ld.global.v4.u64 {%d1, %d2, %d3, %d4}, [%d5]", "is not known"},
		{"ld.nc.global.u32 %r1, [%d2]", "is not known"},
		{"st.shared.global.b32 [%d1], %r1", "is not known"},
		{"red.global.add.s64 [%d1], %d2", "is not known"},
		{"add.s32 %d1, %r2, %r3", "%d1 has another type"},
		{"add.s32 %r1, %d2, %r3", "%d2 has another type"},
		{"add.s32 %p1, %r2, %r3", "%p1 has another type"},
		{"add.s64 %f1, %d2, %d3", "%f1 has another type"},
		{"shl.b64 %d1, %d2, %d3", "%d3 has another type"},
		{"mov.b32 %p1, %r1", "%p1 has another type"},
		{"selp.b32 %r1, 1, 0, %r2", "%r2 has another type"},
		{"mul.wide.u32 %r1, %r2, %r3", "%r1 has another type"},
		{"popc.b64 %d1, %d2", "%d1 has another type"},
		{"@%r1 mov.b32 %r2, 0", "%r1 has another type"},
		{"mov.b32 %r99, 0", "%r99 is not declared"},
		{"add.s32 5, %r1, %r2", "5 is not declared"},
		{"add.s32 %r1, 010, 1", "not a decimal number"},
		{"add.s32 %r1, %r2, 4294967296", "more than 32 bits"},
		{"add.s32 %r1, %r2, -2147483649", "more than 32 bits"},
		{"add.s32 %r1, %r2, 18446744073709551615", "more than 32 bits"},
		{"mov.f64 %f1, 1", "not a constant of type f64"},
		{"mov.f64 %f1, 0d1", "not a constant of type f64"},
		{"mov.b64 %d1, 0d3FF0000000000000", "not a constant of type b64"},
		{"mov.b64 %d1, {%r1, %r2, %r3}", "3 words"},
		{"mov.b64 {%r1, %r2, %r3}, %d1", "3 words"},
		{"mov.b32 %r1, {%r1, %r2}", "2 words of mov.b32"},
		{"ld.global.u32 %r1, %d1", "not an address"},
		{"ld.global.u32 %r1, [5]", "not an address"},
		{"ld.global.u32 %r1, [%r2]", "%r2 has another type"},
		{"ld.global.u32 %r1, [block_memory]", "block_memory is not"},
		{"ld.shared.u32 %r1, [%d2]", "%d2 has another type"},
		{"ld.global.v2.u32 {%r1, %r2, %r3}, [%d1]", "3 registers"},
		{"ld.param.u64 %d1, [arg9]", "no parameter"},
		{"add.s32 %r1, %tid.x, 1", "%tid.x is only read by mov"},
		{"mov.u32 %r1, %clock", "%clock is not declared"},
		{"shfl.sync.idx.b32 %r1, %r2, 0, 15, -1", "fewer than 32 lanes"},
		{"bra NOWHERE", "no label NOWHERE"},
		{"A: B: A: mov.b32 %r1, 0", ""},
		{".reg .b32 %r1", "%r1\" is not new"},
		{".reg .b32 %tid.x", "is not new"},
		{".reg .b16 %h", "registers of type b16"},
		{".reg .b32 %x<999999999>", "registers"},
	} {
		_, err := Parse(kernelText(test.code + ";\nret;"))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.code, err, test.want)
		}
	}
	for name, text := range map[string]string{
		"no kernel":       testHead,
		"no head":         strings.TrimPrefix(kernelText("ret;"), testHead),
		"a function":      kernelText("ret;") + ".visible .func f()\n{\nret;\n}\n",
		"twice":           kernelText("ret;") + strings.TrimPrefix(kernelText("ret;"), testHead),
		"parameter":       strings.Replace(kernelText("ret;"), ".u64 arg1", ".u32 arg1", 1),
		"same parameters": strings.Replace(kernelText("ret;"), "arg1", "arg0", 1),
		"no end":          kernelText("mov.b32 %r1, 0;"),
		"guarded end":     kernelText("setp.eq.u32 %p1, 0, 0;\n@%p1 ret;"),
		"label at end":    kernelText("bra END;\nEND:"),
		"no memory":       strings.Replace(kernelText("mov.u32 %r1, block_memory;\nret;"), ".extern .shared .align 16 .b8 block_memory[];", "", 1),
	} {
		if _, err := Parse(text); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestRunRefuses: what hardware leaves undefined, and code that does not end.
func TestRunRefuses(t *testing.T) {
	const load = "ld.param.u64 %d1, [arg0];\n"
	for _, test := range []struct {
		threads    int
		code, want string
	}{
		{1, "add.s32 %r1, %r2, 1;", "add.s32 %r1, %r2, 1: an operand was not written"},
		{1, "@%p1 mov.b32 %r1, 0;", "predicate was not written"},
		{2, "mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 mov.b32 %r2, 1;\nadd.u32 %r3, %r2, 1;", "an operand was not written"},
		{1, "ld.shared.b32 %r1, [block_memory];", "was not written"},
		{1, "st.shared.u8 [block_memory], 1;\nld.shared.b32 %r1, [block_memory];", "was not written"},
		{1, "atom.shared.exch.b32 %r1, [block_memory], 1;", "was not written"},
		{1, "red.shared.add.u32 [block_memory], 1;", "was not written"},
		{1, "st.shared.b32 [block_memory+64], 1;", "of 64 bytes of shared memory"},
		{1, "st.shared.b32 [block_memory+2], 1;", "of shared memory"},
		{1, "st.shared.b32 [block_memory+-4], 1;", "of shared memory"},
		{1, load + "ld.global.b64 %d2, [%d1+16];", "not in an allocation"},
		{1, load + "ld.global.b64 %d2, [%d1+-8];", "not in an allocation"},
		{1, "mov.b64 %d1, 0;\nst.global.b32 [%d1], 1;", "not in an allocation"},
		{1, "mov.b64 %d1, -4;\nst.global.b32 [%d1], 1;", "not in an allocation"},
		{1, load + "ld.global.b64 %d2, [%d1+4];", "not aligned"},
		{1, load + "ld.global.v2.b64 {%d2, %d3}, [%d1+8];", "not in an allocation"},
		{1, load + "ld.global.v2.b32 {%r2, %r3}, [%d1+4];", "not aligned"},
		{1, "div.s32 %r1, 1, 0;", "division by zero"},
		{1, "rem.s64 %d1, 1, 0;", "division by zero"},
		{1, "AGAIN:\nbra AGAIN;", "1000 instructions do not end"},
		{4, "vote.sync.ballot.b32 %r1, %p1, 15;", "an operand was not written"},
		{4, "mov.pred %p1, 1;\nvote.sync.ballot.b32 %r1, %p1, 7;", "lane 3 does not name itself"},
		{4, tidBelow2 + "@%p1 vote.sync.ballot.b32 %r2, %p1, 15;", "are not all here"},
		{4, tidBelow2 + "@%p1 bra SKIP;\nmov.b32 %r3, 1;\nshfl.sync.bfly.b32 %r2, %r3, 1, 31, -1;\nSKIP:", "are not all here"},
		{4, tidBelow2 + "selp.b32 %r2, 15, 14, %p1;\nmov.pred %p2, 1;\nvote.sync.ballot.b32 %r3, %p2, %r2;", "name"},
		{4, "mov.u32 %r1, 1;\nshfl.sync.idx.b32 %r2, %r1, 4, 31, -1;", "reads lane 4, which is not here"},
		{4, "mov.u32 %r1, 1;\nshfl.sync.bfly.b32 %r2, %r1, 16, 31, -1;", "which is not here"},
		{4, tidBelow2 + "@%p1 bar.sync 0;", "only some lanes of a warp"},
		{64, "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 32;\n@%p1 bra SKIP;\nbar.sync 0;\nSKIP:", "wait at a barrier"},
	} {
		memory := buffers{make([]byte, 16), nil, nil}
		err := run(t, test.code+"\nret;", Launch{Blocks: 1, Threads: test.threads, Shared: 64, Steps: 1000}, memory)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s\nerror %v, want %q", test.code, err, test.want)
		}
	}
}

// TestLaunchRefuses: launches that do not fit the kernel.
func TestLaunchRefuses(t *testing.T) {
	m, err := Parse(strings.Replace(kernelText("ret;"), "arg2)", "arg2)\n.maxntid 64, 1, 1", 1))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		entry           string
		blocks, threads int
		args            int
		want            string
	}{
		{"k", 1, 64, 3, ""},
		{"other", 1, 1, 3, "no kernel other"},
		{"k", 1, 1, 2, "3 parameters, not 2"},
		{"k", 1, 65, 3, "at most 64"},
		{"k", 1, 0, 3, "0 threads"},
		{"k", 0, 1, 3, "0 blocks"},
	} {
		err := m.Run(test.entry, Launch{Blocks: test.blocks, Threads: test.threads}, make([]uint64, test.args), buffers{})
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: error %v", test, err)
		}
	}
	if _, err := Parse(strings.Replace(kernelText("ret;"), "arg2)", "arg2)\n.maxntid 2048, 1, 1", 1)); err == nil {
		t.Error(".maxntid 2048: no error")
	}
}

const tidBelow2 = "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 2;\n"

func FuzzParse(f *testing.F) {
	f.Add(kernelText("mov.b64 %d1, {%r1, %r2};\nL:\n@!%p1 ld.global.nc.v2.u32 {%r1, %r2}, [%d1+4];\nbra L;"))
	for _, p := range programTexts {
		f.Add(kernelText(p))
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Parse(text)
		if err == nil && len(m.Entries()) == 0 {
			t.Error("no error and no kernel")
		}
		if m, err := Parse(kernelText(text + ";\nret;")); err == nil && len(m.Entries()) != 1 {
			t.Error("no error and not one kernel")
		}
	})
}
