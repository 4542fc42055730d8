package ptx

import (
	"fmt"
	"strings"
)

// forms lists the names of the supported instructions with the number of their operands.
// Alternatives are in braces. Assemblers are as strict: a name that is not listed may not exist.
var forms = expandForms(map[string]int{
	"ret":            0,
	"bra":            1,
	"bar.sync":       1,
	"activemask.b32": 1,

	"mov.{pred,b32,u32,s32,b64,u64,s64,f64}":                2,
	"cvt.{u32.u64,u64.u32,s64.s32,rn.f64.s32,rn.f64.s64}":   2,
	"selp.{b32,u32,s32,b64,u64,s64,f64}":                    4,
	"setp.{eq,ne}.{b32,b64}":                                3,
	"setp.{eq,ne,lt,le,gt,ge}.{u32,s32,u64,s64,f64}":        3,
	"setp.{eq,ne}.and.{b32,b64}":                            4,
	"setp.{eq,ne,lt,le,gt,ge}.and.{u32,s32,u64,s64,f64}":    4,
	"{add,sub,min,max}.{u32,s32,u64,s64}":                   3,
	"{add,sub,mul,div}.rn.f64":                              3,
	"sqrt.rn.f64":                                           2,
	"{min,max}.f64":                                         3,
	"{neg,abs}.{s32,s64,f64}":                               2,
	"mul.lo.{u32,s32,u64,s64}":                              3,
	"mad.lo.{u32,s32,u64,s64}":                              4,
	"mul.{wide,hi}.u32":                                     3,
	"mul.hi.u64":                                            3,
	"mad.wide.u32":                                          4,
	"{div,rem}.{s32,s64}":                                   3,
	"{and,or,xor}.{pred,b32,b64}":                           3,
	"not.{pred,b32,b64}":                                    2,
	"shl.{b32,b64}":                                         3,
	"shr.{b32,u32,s32,b64,u64,s64}":                         3,
	"bfe.u32":                                               4,
	"popc.{b32,b64}":                                        2,
	"{brev,clz}.b32":                                        2,
	"vote.sync.ballot.b32":                                  3,
	"shfl.sync.{bfly,idx}.b32":                              5,
	"ld.param.{u64,b64}":                                    2,
	"ld.{global,global.nc,shared}.{b8,u8,b16,u16}":          2,
	"ld.{global,global.nc,shared}.{,v2.,v4.}{b32,u32,s32}":  2,
	"ld.{global,global.nc,shared}.{,v2.}{b64,u64,s64,f64}":  2,
	"ld.{global,global.nc,shared}.{v2,v4}.{b8,u8,b16,u16}":  2,
	"ld.volatile.{global,shared}.{b32,u32,s32,b64,u64,s64}": 2,
	"ld.volatile.global.{v2,v4}.b32":                        2,
	"ld.volatile.global.v2.b64":                             2,
	"st.{global,shared}.{b8,u8,b16,u16,b32,u32,s32}":        2,
	"st.{global,shared}.{b64,u64,s64,f64}":                  2,
	"st.volatile.{global,shared}.{b32,u32,s32}":             2,
	"st.volatile.{global,shared}.{b64,u64,s64}":             2,
	"red.{global,shared}.add.{u32,s32,u64,f64}":             2,
	"red.{global,shared}.{min,max}.{u32,s32,u64,s64}":       2,
	"red.{global,shared}.{and,or,xor}.{b32,b64}":            2,
	"atom.{global,shared}.add.{u32,s32,u64,f64}":            3,
	"atom.{global,shared}.{min,max}.{u32,s32,u64,s64}":      3,
	"atom.{global,shared}.{or,exch}.{b32,b64}":              3,
	"atom.{global,shared}.cas.{b32,b64}":                    4,
})

// expandForms replaces braces by all of their alternatives.
func expandForms(patterns map[string]int) map[string]int {
	out := map[string]int{}
	for pattern, n := range patterns {
		for _, name := range alternatives(pattern) {
			out[name] = n
		}
	}
	return out
}

// alternatives expands the first braces, and the others recursively.
func alternatives(pattern string) (out []string) {
	before, rest, found := strings.Cut(pattern, "{")
	if !found {
		return []string{pattern}
	}
	inside, after, _ := strings.Cut(rest, "}")
	for s := range strings.SplitSeq(inside, ",") {
		out = append(out, alternatives(before+s+after)...)
	}
	return out
}

// checkForm rejects unknown names and wrong numbers of operands.
func checkForm(op string, args []string) error {
	n, ok := forms[op]
	if !ok {
		return fmt.Errorf("instruction %s is not known", op)
	}
	if len(args) != n {
		return fmt.Errorf("%d operands, not %d", len(args), n)
	}
	for _, a := range args {
		if (specials[a] != nil || a == "block_memory") && !strings.HasPrefix(op, "mov.") {
			return fmt.Errorf("%s is only read by mov", a)
		}
	}
	return nil
}
