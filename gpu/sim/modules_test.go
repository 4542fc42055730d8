//go:build sim

package sim

import (
	"slices"
	"strings"
	"testing"

	"gsql/gpu"
	"gsql/gpu/gputest"
)

// writtenPTX adds 5 to each of the first n numbers of an array.
const writtenPTX = `.version 7.0
.target sm_70
.address_size 64
.visible .entry written_add(.param .u64 arg0, .param .u64 arg1)
.maxntid 64, 1, 1
{
	.reg .pred %p<2>;
	.reg .b32 %r<6>;
	.reg .b64 %d<4>;
	ld.param.u64 %d1, [arg0];
	ld.param.u64 %d2, [arg1];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %ctaid.x;
	mad.lo.u32 %r3, %r2, 64, %r1;
	cvt.u64.u32 %d3, %r3;
	setp.ge.u64 %p1, %d3, %d2;
	@%p1 ret;
	mad.wide.u32 %d3, %r3, 4, %d1;
	ld.global.u32 %r4, [%d3];
	add.u32 %r4, %r4, 5;
	st.global.u32 [%d3], %r4;
	ret;
}
`

// TestLaunchWritten runs a kernel whose text the device was given.
func TestLaunchWritten(t *testing.T) {
	d := lone(t)
	gputest.Must(t, d.LoadModule(gpu.Module{Name: "written", PTX: writtenPTX}))
	p := upload(t, d, []int32{1, -5, 100, 7}, 0)
	how := gpu.Launch{Grid: gpu.Dim{X: 2}, Block: gpu.Dim{X: 64}}
	gputest.Must(t, d.Launch("written_add", how, uint64(p), 3))
	if got := download(t, d, p, 4, 0); !slices.Equal(got, []int32{6, 0, 105, 7}) {
		t.Error(got)
	}
	for _, test := range []struct {
		how  gpu.Launch
		n    uint64
		want string
	}{
		{how, 5, "not in an allocation"},
		{gpu.Launch{Block: gpu.Dim{X: 65}}, 3, "at most 64"},
		{gpu.Launch{Grid: gpu.Dim{X: 1, Y: 2}, Block: gpu.Dim{X: 64}}, 3, "one dimension"},
	} {
		gputest.Must(t, d.Launch("written_add", test.how, uint64(p), test.n))
		if err := d.Sync(0); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
	bad := gpu.Module{Name: "bad", PTX: strings.Replace(writtenPTX, "add.u32 %r4, %r4, 5", "add.u32 %r4, %r4", 1)}
	if err := d.LoadModule(bad); err == nil || !strings.Contains(err.Error(), "add.u32 %r4, %r4") {
		t.Errorf("a text with an error was loaded: %v", err)
	}
}
