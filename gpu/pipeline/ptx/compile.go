package ptx

import (
	"fmt"

	"gsql/gpu"
	"gsql/gpu/pipeline"
)

// Options describe the device.
type Options struct {
	Shared int // bytes of shared memory that a block may have
	Rows   int // rows that a thread processes at a time: 1, 2 or 4; 0: chosen for each pipeline
}

// rows returns the number of rows that a thread of a pipeline processes at a time.
func (o Options) rows(*pipeline.Pipeline) int {
	if o.Rows > 0 {
		return o.Rows
	}
	return 4
}

const head = `.version 7.0
.target sm_70
.address_size 64
.extern .shared .align 16 .b8 block_memory[];
`

// Compile generates the kernels of a program, which it does not change.
func Compile(p *pipeline.Program, o Options) (*Code, error) {
	c := &Code{
		Extra:  []pipeline.Column{{Kind: pipeline.Int, Width: 4, Relation: pipeline.None, Size: 4}},
		Status: len(p.Columns),
	}
	for i := range p.Pipelines {
		if p.Pipelines[i].Prebuilt() {
			c.Launches = append(c.Launches, Launch{Prebuilt: &p.Pipelines[i]})
			continue
		}
		k := newKernel(p, &p.Pipelines[i], c.Status, o)
		compile := k.compile
		if p.Pipelines[i].Bound != nil {
			compile = k.compileBound
		}
		launch, err := compile()
		if err != nil {
			return nil, err
		}
		c.Launches = append(c.Launches, launch)
	}
	return c, nil
}

// Fills is the module with the entries Fill4 and Fill8.
var Fills = gpu.Module{Name: "fills", PTX: head + fill(Fill4, "b32", 4) + fill(Fill8, "b64", 8)}

// fill returns the kernel that fills elements of a width.
func fill(entry, typ string, width int) string {
	return fmt.Sprintf(`
.visible .entry %[1]s(.param .u64 to, .param .u64 rows, .param .u64 value)
.maxntid %[4]d, 1, 1
{
	.reg .pred %%p<2>;
	.reg .b32 %%r<5>;
	.reg .b64 %%d<8>;
	ld.param.u64 %%d1, [to];
	ld.param.u64 %%d2, [rows];
	ld.param.u64 %%d3, [value];
	mov.u32 %%r1, %%tid.x;
	mov.u32 %%r2, %%ctaid.x;
	mov.u32 %%r3, %%nctaid.x;
	mul.wide.u32 %%d4, %%r2, %[4]d;
	cvt.u64.u32 %%d5, %%r1;
	add.u64 %%d4, %%d4, %%d5;
	mul.wide.u32 %%d6, %%r3, %[4]d;
	cvt.u32.u64 %%r4, %%d3;
NEXT:
	setp.ge.u64 %%p1, %%d4, %%d2;
	@%%p1 bra END;
	mad.lo.u64 %%d7, %%d4, %[3]d, %%d1;
	st.global.%[2]s [%%d7], %[5]s;
	add.u64 %%d4, %%d4, %%d6;
	bra NEXT;
END:
	ret;
}
`, entry, typ, width, FillThreads, map[int]string{4: "%r4", 8: "%d3"}[width])
}
