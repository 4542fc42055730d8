package misc

import (
	"encoding/hex"
	"net/netip"
	"strings"
	"sync/atomic"
	"time"

	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

func registerAddress() {
	kernel.Register(
		kernel.Def{Name: "inet6_aton", Bind: kernel.Fn(kernel.TryUnary(inet6Aton))},
		kernel.Def{Name: "inet6_ntoa", Bind: kernel.Fn(kernel.TryUnary(inet6Ntoa))},
		kernel.Def{Name: "is_ipv4", Bind: kernel.Fn(testText(func(s string) bool { a, ok := address(s); return ok && a.Is4() })), Total: kernel.Always},
		kernel.Def{Name: "is_ipv6", Bind: kernel.Fn(testText(func(s string) bool { a, ok := address(s); return ok && !a.Is4() })), Total: kernel.Always},
		kernel.Def{Name: "is_ipv4_compat", Bind: kernel.Fn(testText(func(s string) bool {
			return len(s) == 16 && s[:12] == zeros[:12] && s[12:15] != zeros[:3]
		})), Total: kernel.Always},
		kernel.Def{Name: "is_ipv4_mapped", Bind: kernel.Fn(testText(func(s string) bool { return len(s) == 16 && s[:12] == zeros[:10]+"\xff\xff" })), Total: kernel.Always},
		kernel.Def{Name: "is_uuid", Bind: kernel.Fn(kernel.Unary(func(s string) int64 { _, ok := uuidDigits(s); return kernel.Bit(ok) })), Total: kernel.Always},
		kernel.Def{Name: "uuid_to_bin", Bind: bindUUIDToBin},
		kernel.Def{Name: "bin_to_uuid", Bind: bindBinToUUID},
		kernel.Def{Name: "uuid_short", Bind: kernel.Fn(uuidShort), Total: kernel.Always},
	)
}

const zeros = "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"

// testText returns the kernel of a test that yields 0 for NULL.
func testText(f func(s string) bool) kernel.Kernel {
	return func(_ *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
		for i := range out.I64 {
			out.I64[i] = kernel.Bit(!kernel.NullAt(args[0], i) && f(args[0].Str[i&kernel.Mask(args[0])]))
		}
		return nil
	}
}

// address parses an IPv4 or IPv6 address without a zone.
func address(s string) (netip.Addr, bool) {
	a, err := netip.ParseAddr(s)
	return a, err == nil && a.Zone() == ""
}

func inet6Aton(rt *kernel.Runtime, s string) (string, bool, error) {
	a, ok := address(s)
	if !ok {
		rt.Warn(sqlerr.WrongValueForType, "Incorrect string value: '%s' for function inet6_aton", s)
		return "", false, nil
	}
	return string(a.AsSlice()), true, nil
}

func inet6Ntoa(rt *kernel.Runtime, s string) (string, bool, error) {
	a, ok := netip.AddrFromSlice([]byte(s))
	if !ok {
		rt.Warn(sqlerr.WrongValueForType, "Incorrect string value: '%s' for function inet6_ntoa", s)
		return "", false, nil
	}
	if a.Is6() && s[:12] == zeros[:12] && s[12:14] != zeros[:2] { // IPv4-compatible: ::1.2.3.4
		four, _ := netip.AddrFromSlice([]byte(s[12:]))
		return "::" + four.String(), true, nil
	}
	return a.String(), true, nil
}

// uuidDigits returns the 32 hexadecimal digits of a UUID, which may be written with dashes, with
// dashes and braces, or without either.
func uuidDigits(s string) (digits string, ok bool) {
	if len(s) == 38 && s[0] == '{' && s[37] == '}' {
		s = s[1:37]
	}
	if len(s) == 36 {
		if s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
			return "", false
		}
		s = s[:8] + s[9:13] + s[14:18] + s[19:23] + s[24:]
	}
	return s, len(s) == 32 && strings.Trim(s, "0123456789abcdefABCDEF") == ""
}

// swapped reports whether the second argument requests the reordering of the time's parts.
func swapped(args []*vec.Vector, i int) bool {
	return len(args) > 1 && args[1].I64[i&kernel.Mask(args[1])] != 0
}

// bindUUIDToBin puts the high parts of the time first if the second argument requests that, so that
// consecutive UUIDs are near each other in sort order.
func bindUUIDToBin(*expr.Call) (kernel.Kernel, error) {
	return uuidKernel("uuid_to_bin", func(s string, swap bool) (string, bool) {
		digits, ok := uuidDigits(s)
		if !ok {
			return "", false
		}
		b, err := hex.DecodeString(digits)
		r := string(b)
		if swap && err == nil {
			r = r[6:8] + r[4:6] + r[:4] + r[8:]
		}
		return r, err == nil
	}), nil
}

func bindBinToUUID(*expr.Call) (kernel.Kernel, error) {
	return uuidKernel("bin_to_uuid", func(s string, swap bool) (string, bool) {
		if len(s) != 16 {
			return "", false
		}
		if swap {
			s = s[4:8] + s[2:4] + s[:2] + s[8:]
		}
		h := hex.EncodeToString([]byte(s))
		return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:], true
	}), nil
}

func uuidKernel(name string, f func(s string, swap bool) (string, bool)) kernel.Kernel {
	return func(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
		for i := range out.Str {
			if rt.IsNull(out, i) {
				continue
			}
			s := args[0].Str[i&kernel.Mask(args[0])]
			r, ok := f(s, swapped(args, i))
			if !ok {
				return rt.Fail(sqlerr.WrongValueForType, "Incorrect string value: '%s' for function %s", s, name)
			}
			out.Str[i] = r
		}
		return nil
	}
}

// shortIDs counts up from the process's start time, as UUID_SHORT does from the server's.
var shortIDs atomic.Uint64

func init() { shortIDs.Store(uint64(time.Now().Unix()) << 24) }

func uuidShort(_ *kernel.Runtime, _ []*vec.Vector, out *vec.Vector) error {
	for i := range out.I64 {
		out.I64[i] = int64(shortIDs.Add(1) & (1<<56 - 1))
	}
	return nil
}
