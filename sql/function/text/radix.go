package text

import (
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

func registerRadix() {
	kernel.Register(
		kernel.Def{Name: "crc32", Bind: kernel.Fn(kernel.Unary(crc)), Total: kernel.Always},
		kernel.Def{Name: "bin", Bind: bindDigits(2), Total: kernel.Always},
		kernel.Def{Name: "oct", Bind: bindDigits(8), Total: kernel.Always},
		kernel.Def{Name: "hex", Bind: bindHex, Total: kernel.Always},
		kernel.Def{Name: "unhex", Bind: kernel.Fn(kernel.TryUnary(unhex))},
		kernel.Def{Name: "conv", Bind: kernel.Fn(kernel.TryTernary(conv)), Total: kernel.Always},
	)
}

func crc(s string) uint64 {
	sum := ^uint32(0)
	for i := 0; i < len(s); i++ {
		sum = crc32.IEEETable[byte(sum)^s[i]] ^ sum>>8
	}
	return uint64(^sum)
}

// bindDigits formats the 64 bits of a number in another base.
func bindDigits(base int) func(*expr.Call) (kernel.Kernel, error) {
	return func(*expr.Call) (kernel.Kernel, error) {
		return kernel.TryUnary(func(rt *kernel.Runtime, x uint64) (string, bool, error) {
			rt.Buf = strconv.AppendUint(rt.Buf[:0], x, base)
			return rt.Text(rt.Buf), true, nil
		}), nil
	}
}

// bindHex formats the bytes of strings and the bits of numbers.
func bindHex(c *expr.Call) (kernel.Kernel, error) {
	switch kernel.ArgKind(c, 0) {
	case types.KindStr:
	case types.KindF64:
		return kernel.TryUnary(func(rt *kernel.Runtime, x float64) (string, bool, error) {
			return rt.Keep(appendHex(rt.Room(16), rounded(x))), true, nil
		}), nil
	default:
		return kernel.TryUnary(func(rt *kernel.Runtime, x uint64) (string, bool, error) {
			return rt.Keep(appendHex(rt.Room(16), x)), true, nil
		}), nil
	}
	return kernel.TryUnary(func(rt *kernel.Runtime, s string) (string, bool, error) {
		const digits = "0123456789ABCDEF"
		b, long, err := rt.Allot(2 * len(s))
		if long || err != nil {
			return "", false, err
		}
		for i := 0; i < len(s); i++ {
			b = append(b, digits[s[i]>>4], digits[s[i]&15])
		}
		return rt.Keep(b), true, nil
	}), nil
}

// rounded returns the bits of a number, all of them set if it is out of range.
func rounded(x float64) uint64 {
	switch {
	case x <= math.MinInt64 || x >= 1<<64:
		return math.MaxUint64
	case x > 0:
		return uint64(x + 0.5)
	}
	return uint64(int64(x - 0.5))
}

// appendHex appends a number, eight digits at a time.
func appendHex(dst []byte, x uint64) []byte {
	n := len(dst)
	dst = binary.BigEndian.AppendUint64(dst, hexDigits(uint32(x>>32)))
	dst = binary.BigEndian.AppendUint64(dst, hexDigits(uint32(x)))
	return append(dst[:n], dst[n+min(bits.LeadingZeros64(x)/4, 15):]...)
}

// hexDigits returns eight digits, the first one in the top byte.
func hexDigits(x uint32) uint64 {
	w := uint64(x)
	w = (w | w<<16) & 0x0000ffff0000ffff
	w = (w | w<<8) & 0x00ff00ff00ff00ff
	w = (w | w<<4) & (15 * kernel.EachByte)
	letters := (w + 6*kernel.EachByte) >> 4 & kernel.EachByte
	return w + '0'*kernel.EachByte + letters*('A'-'9'-1)
}

func upperASCII(b []byte) []byte {
	for i, c := range b {
		if c-'a' < 26 {
			b[i] = c ^ 0x20
		}
	}
	return b
}

// unhex parses pairs of hexadecimal digits. If their number is odd, the first digit is a byte by
// itself.
func unhex(rt *kernel.Runtime, s string) (string, bool, error) {
	b, _, err := rt.Allot(len(s)/2 + 2) // never too long: s is at most twice the result
	if err != nil {
		return "", false, err
	}
	rest := s
	if len(s)%2 == 1 {
		b, err = hex.AppendDecode(b, []byte{'0', s[0]})
		rest = s[1:]
	}
	if err == nil {
		b, err = hex.AppendDecode(b, kernel.BytesOf(rest))
	}
	if err != nil {
		rt.Warn(sqlerr.WrongValueForType, "Incorrect string value: '%s' for function unhex", s)
		return "", false, nil
	}
	return rt.Keep(b), true, nil
}

// conv converts a number from one base to another. A negative base means that the number is signed.
func conv(rt *kernel.Runtime, s string, from, to int64) (string, bool, error) {
	if s == "" || !isBase(from) || !isBase(to) {
		return "", false, nil
	}
	x := readBase(s, from)
	b := rt.Buf[:0]
	if to < 0 {
		b = strconv.AppendInt(b, int64(x), int(-to))
	} else {
		b = strconv.AppendUint(b, x, int(to))
	}
	rt.Buf = upperASCII(b)
	return rt.Text(b), true, nil
}

func isBase(n int64) bool { return n >= 2 && n <= 36 || n <= -2 && n >= -36 }

// readBase parses the digits at the start of s. A number that exceeds 64 bits becomes the largest
// one, which is signed if the base is negative.
func readBase(s string, base int64) uint64 {
	s = strings.TrimLeft(s, " \t\n\v\f\r")
	neg := strings.HasPrefix(s, "-")
	if neg || strings.HasPrefix(s, "+") {
		s = s[1:]
	}
	end := 0
	for end < len(s) && digitOf(s[end]) < max(base, -base) {
		end++
	}
	if end == 0 {
		return 0
	}
	x, _ := strconv.ParseUint(s[:end], int(max(base, -base)), 64)
	switch {
	case base < 0 && neg:
		return -min(x, 1<<63)
	case base < 0:
		return min(x, math.MaxInt64)
	case neg && x < math.MaxUint64:
		return -x
	}
	return x
}

// digitOf returns the value of a digit in base 36, or 36.
func digitOf(c byte) int64 {
	switch {
	case c-'0' < 10:
		return int64(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'z':
		return int64(c|0x20-'a') + 10
	}
	return 36
}
