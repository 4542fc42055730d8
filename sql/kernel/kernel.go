package kernel

import (
	"maps"
	"slices"
	"unsafe"

	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// Kernel computes one function for all rows of a batch. The arguments are flat or constant vectors
// of exactly the kinds that the signature requires; at least one is flat, unless the function has
// no arguments or is volatile. out is a flat vector of rt.N rows whose payload the kernel fills.
//
// For strict functions, out.Null is already the union of the arguments' NULLs. Slots of NULL rows
// hold arbitrary values, so a kernel that can fail must skip them (see rt.IsNull). For NullAware
// functions, out.Null is nil. Either may add NULLs with out.SetNull. All evaluators of a program
// share a kernel. It keeps no state except results that it reuses, and it never writes to its
// arguments.
type Kernel func(rt *Runtime, args []*vec.Vector, out *vec.Vector) error

// Def connects a function with its kernels. The families of functions
// are packages below sql/function, which lists them.
//
//	func registerCharacters() {
//		kernel.Register(kernel.Def{Name: expr.FuncASCII, Bind: kernel.Fn(kernel.Unary(ascii)), Total: kernel.Always})
//	}
//
//	func ascii(s string) int64 { ... }
type Def struct {
	Name expr.FuncID
	// Bind selects the kernel for a call, mostly by the kinds of its arguments. Constant arguments
	// are already folded to *expr.Const, so that Bind can prepare them.
	Bind func(c *expr.Call) (Kernel, error)
	// Total reports whether the call neither fails nor warns for any values, so that it may be
	// computed for rows that do not need it. nil means never.
	Total func(c *expr.Call) bool
	// Narrow reports whether the kernel of the call accepts Narrow arguments. Its result may then
	// be Narrow too, unless all arguments are constant. nil means never.
	Narrow func(c *expr.Call) bool
}

var defs = map[expr.FuncID]*Def{}

// Register adds kernels. It panics if a name is already registered.
func Register(list ...Def) {
	for i := range list {
		d := &list[i]
		if defs[d.Name] != nil {
			panic("kernel: function registered twice: " + string(d.Name))
		}
		defs[d.Name] = d
	}
}

// IDs lists the ids of all functions with kernels, sorted.
func IDs() []expr.FuncID { return slices.Sorted(maps.Keys(defs)) }

// Lookup returns the kernels of a function, or nil if it has none.
func Lookup(name expr.FuncID) *Def { return defs[name] }

// Fn returns a Bind for functions with one kernel.
func Fn(k Kernel) func(*expr.Call) (Kernel, error) {
	return func(*expr.Call) (Kernel, error) { return k, nil }
}

// Always is a Total for functions that cannot fail.
func Always(*expr.Call) bool { return true }

// Runtime holds what a kernel may use besides its arguments. It belongs to one evaluator.
type Runtime struct {
	Ctx
	Call *expr.Call // the call being computed
	N    int        // rows to compute
	Buf  []byte     // scratch that kernels may grow and keep

	chunk   []byte
	Made    int            // bytes of the strings that the call has made
	texts   int64          // bytes of the strings that all calls have made for this batch and reported
	stored  int64          // bytes of this batch's strings that are long or many
	charged int64          // the part of them charged to Mem
	kept    int64          // bytes charged to Mem for texts that stay until Free
	draft   int64          // bytes borrowed for a text in Buf
	ready   map[made]any   // see Prepared
	held    int64          // bytes borrowed for ready
	Quiet   bool           // hold warnings back
	Tripped bool           // a warning was held back
	Held    sqlerr.Code    // its code
	wide    *[2]vec.Vector // arguments that a kernel widened; allocated on demand
	low     [2]int64       // constants as Narrow ones
	days    []int64        // of a DATETIME argument
	CutRows []int          // rows, counted from 1, whose trailing spaces a conversion to a column removed
}

// chunkSize is the size of the blocks that result strings are written to.
const chunkSize = 64 << 10

// Text copies b to memory that lives as long as any string in it is referenced.
func (rt *Runtime) Text(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if cap(rt.chunk)-len(rt.chunk) < len(b) {
		if len(b) > chunkSize/8 {
			rt.stored += int64(len(b))
			return string(b)
		}
		rt.chunk = make([]byte, 0, chunkSize)
		rt.stored += chunkSize
	}
	start := len(rt.chunk)
	rt.chunk = append(rt.chunk, b...)
	return unsafe.String(&rt.chunk[start], len(b))
}

// Room returns an empty slice with capacity for at least n bytes, to which the caller appends the
// next text. Keep converts it to the text. No other text may be made in between.
func (rt *Runtime) Room(n int) []byte {
	if cap(rt.chunk)-len(rt.chunk) < n {
		if n > chunkSize/8 {
			rt.stored += int64(n)
			return make([]byte, 0, n)
		}
		rt.chunk = make([]byte, 0, chunkSize)
		rt.stored += chunkSize
	}
	return rt.chunk[len(rt.chunk):]
}

// Keep returns a text that was appended to the result of Room, without copying it.
func (rt *Runtime) Keep(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if k := len(rt.chunk); len(b) <= cap(rt.chunk)-k && &b[0] == &rt.chunk[:k+1][k] {
		rt.chunk = rt.chunk[:k+len(b)]
	}
	return unsafe.String(&b[0], len(b))
}

// Warn adds a warning to the statement.
func (rt *Runtime) Warn(code sqlerr.Code, format string, args ...any) {
	if rt.Quiet {
		rt.Tripped, rt.Held = true, code
		return
	}
	if rt.Env != nil {
		rt.Env.Warn(uint16(code), sqlerr.Message(format, args...))
	}
}

// Truncated warns that only part of a text was parsed as a value of the named type.
func (rt *Runtime) Truncated(typeName, text string) {
	if len(text) > 128 {
		text = text[:128]
	}
	rt.Warn(sqlerr.TruncatedWrongValue, "Truncated incorrect %s value: '%s'", typeName, text)
}

// DivisionByZero warns of a division whose result is NULL.
func (rt *Runtime) DivisionByZero() { rt.Warn(sqlerr.DivisionByZero, "Division by 0") }

// OutOfRange returns error 1690 for the call being computed.
func (rt *Runtime) OutOfRange(typeName string) error {
	return sqlerr.New(sqlerr.DataOutOfRange, "%s value is out of range in '(%s)'", typeName, rt.Call).At(rt.Call.Pos)
}

// Fail returns an error with the given code at the position of the call being computed.
func (rt *Runtime) Fail(code sqlerr.Code, format string, args ...any) error {
	return sqlerr.New(code, format, args...).At(rt.Call.Pos)
}
