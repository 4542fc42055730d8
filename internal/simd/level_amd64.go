package simd

import "golang.org/x/sys/cpu"

func detect() Level {
	x := &cpu.X86
	switch {
	case !x.HasAVX2 || !x.HasFMA || !x.HasPOPCNT:
		return None
	case x.HasAVX512F && x.HasAVX512VL && x.HasAVX512DQ && x.HasAVX512BW:
		return AVX512
	}
	return AVX2
}

func loopsOf(l Level) *loops {
	return [...]*loops{None: {}, AVX2: &loopsAVX2, AVX512: &loopsAVX512}[l]
}
