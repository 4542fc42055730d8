package kernel

import (
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/types"
	"gsql/sql/vec"
)

// Value is the type of a vector's payload. uint64 reads and writes Vector.I64 as bits.
type Value interface {
	int64 | uint64 | float64 | decimal128.Num | string
}

// Values returns the payload of a flat or constant vector as a slice of T. T must be
// the type of the vector's kind.
func Values[T Value](v *vec.Vector) []T {
	var p any
	switch any((*T)(nil)).(type) {
	case *int64:
		p = &v.I64
	case *uint64:
		return any(AsU64(v.I64)).([]T)
	case *float64:
		p = &v.F64
	case *decimal128.Num:
		p = &v.Dec
	case *string:
		p = &v.Str
	}
	return *p.(*[]T)
}

// Mask turns a row number into a slot number: i & mask is i for flat vectors and 0
// for constant ones.
func Mask(v *vec.Vector) int {
	if v.Form == vec.Const {
		return 0
	}
	return -1
}

// Unary returns the kernel of a function of one value.
func Unary[A, R Value](f func(A) R) Kernel {
	return func(rt *Runtime, args []*vec.Vector, out *vec.Vector) error {
		a, r := Values[A](args[0]), Values[R](out)
		m := Mask(args[0])
		for i := range r {
			r[i] = f(a[i&m])
		}
		return nil
	}
}

// Binary returns the kernel of a function of two values.
func Binary[A, B, R Value](f func(A, B) R) Kernel {
	return func(rt *Runtime, args []*vec.Vector, out *vec.Vector) error {
		a, b, r := Values[A](args[0]), Values[B](args[1]), Values[R](out)
		ma, mb := Mask(args[0]), Mask(args[1])
		for i := range r {
			r[i] = f(a[i&ma], b[i&mb])
		}
		return nil
	}
}

// Ternary returns the kernel of a function of three values.
func Ternary[A, B, C, R Value](f func(A, B, C) R) Kernel {
	return func(rt *Runtime, args []*vec.Vector, out *vec.Vector) error {
		a, b, c, r := Values[A](args[0]), Values[B](args[1]), Values[C](args[2]), Values[R](out)
		ma, mb, mc := Mask(args[0]), Mask(args[1]), Mask(args[2])
		for i := range r {
			r[i] = f(a[i&ma], b[i&mb], c[i&mc])
		}
		return nil
	}
}

// TryUnary returns the kernel of a function that may fail, warn or return NULL (ok false). It is
// not called for NULL rows.
func TryUnary[A, R Value](f func(rt *Runtime, a A) (r R, ok bool, err error)) Kernel {
	return func(rt *Runtime, args []*vec.Vector, out *vec.Vector) error {
		a, r := Values[A](args[0]), Values[R](out)
		m := Mask(args[0])
		for i := range r {
			if out.Null != nil && out.Null[i] {
				continue
			}
			x, ok, err := f(rt, a[i&m])
			if err != nil {
				return err
			}
			if r[i] = x; !ok {
				out.SetNull(i)
			}
		}
		return nil
	}
}

// TryBinary is TryUnary for two arguments.
func TryBinary[A, B, R Value](f func(rt *Runtime, a A, b B) (r R, ok bool, err error)) Kernel {
	return func(rt *Runtime, args []*vec.Vector, out *vec.Vector) error {
		a, b, r := Values[A](args[0]), Values[B](args[1]), Values[R](out)
		ma, mb := Mask(args[0]), Mask(args[1])
		for i := range r {
			if out.Null != nil && out.Null[i] {
				continue
			}
			x, ok, err := f(rt, a[i&ma], b[i&mb])
			if err != nil {
				return err
			}
			if r[i] = x; !ok {
				out.SetNull(i)
			}
		}
		return nil
	}
}

// TryTernary is TryUnary for three arguments.
func TryTernary[A, B, C, R Value](f func(rt *Runtime, a A, b B, c C) (r R, ok bool, err error)) Kernel {
	return func(rt *Runtime, args []*vec.Vector, out *vec.Vector) error {
		a, b, c, r := Values[A](args[0]), Values[B](args[1]), Values[C](args[2]), Values[R](out)
		ma, mb, mc := Mask(args[0]), Mask(args[1]), Mask(args[2])
		for i := range r {
			if out.Null != nil && out.Null[i] {
				continue
			}
			x, ok, err := f(rt, a[i&ma], b[i&mb], c[i&mc])
			if err != nil {
				return err
			}
			if r[i] = x; !ok {
				out.SetNull(i)
			}
		}
		return nil
	}
}

// Types that most functions take and return.
var (
	Int64Type  = types.T(types.Int64)
	Uint64Type = types.T(types.Uint64)
	DoubleType = types.T(types.Float64)
	TextType   = types.T(types.String)
)

// AsU64 reinterprets the bits of int64 values as uint64.
func AsU64(x []int64) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}

// Ordered is a payload type that Go compares directly.
type Ordered interface{ int64 | uint64 | float64 }

// Same returns its argument.
func Same[T Value](x T) T { return x }

// Bit returns a truth value as a number.
func Bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
