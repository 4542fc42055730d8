#include "textflag.h"

// func stream(dst, src unsafe.Pointer)
TEXT ·stream(SB), NOSPLIT, $0-16
	MOVQ     dst+0(FP), AX
	MOVQ     src+8(FP), BX
	VMOVDQU  (BX), Y0
	VMOVDQU  32(BX), Y1
	VMOVNTDQ Y0, (AX)
	VMOVNTDQ Y1, 32(AX)
	VZEROUPPER
	RET
