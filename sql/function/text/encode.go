package text

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"strings"

	"gsql/sql/kernel"
)

func registerEncode() {
	kernel.Register(
		kernel.Def{Name: "md5", Bind: kernel.Fn(digest(func(dst, b []byte) []byte { h := md5.Sum(b); return hex.AppendEncode(dst, h[:]) })), Total: kernel.Always},
		kernel.Def{Name: "sha1", Bind: kernel.Fn(digest(func(dst, b []byte) []byte { h := sha1.Sum(b); return hex.AppendEncode(dst, h[:]) })), Total: kernel.Always},
		kernel.Def{Name: "sha2", Bind: kernel.Fn(kernel.TryBinary(sha2)), Total: kernel.Always},
		kernel.Def{Name: "to_base64", Bind: kernel.Fn(kernel.TryUnary(toBase64)), Total: kernel.Always},
		kernel.Def{Name: "from_base64", Bind: kernel.Fn(kernel.TryUnary(fromBase64)), Total: kernel.Always},
	)
}

// hash appends the hexadecimal hash of b to dst.
type hash func(dst, b []byte) []byte

func digest(sum hash) kernel.Kernel {
	return kernel.TryUnary(func(rt *kernel.Runtime, s string) (string, bool, error) {
		return hexOf(rt, s, sum), true, nil
	})
}

func hexOf(rt *kernel.Runtime, s string, sum hash) string {
	rt.Buf = sum(rt.Buf[:0], kernel.BytesOf(s))
	return rt.Text(rt.Buf)
}

// sha2 returns NULL for lengths that SHA-2 does not have.
func sha2(rt *kernel.Runtime, s string, length int64) (string, bool, error) {
	var sum hash
	switch length {
	case 224:
		sum = func(dst, b []byte) []byte { h := sha256.Sum224(b); return hex.AppendEncode(dst, h[:]) }
	case 0, 256:
		sum = func(dst, b []byte) []byte { h := sha256.Sum256(b); return hex.AppendEncode(dst, h[:]) }
	case 384:
		sum = func(dst, b []byte) []byte { h := sha512.Sum384(b); return hex.AppendEncode(dst, h[:]) }
	case 512:
		sum = func(dst, b []byte) []byte { h := sha512.Sum512(b); return hex.AppendEncode(dst, h[:]) }
	default:
		return "", false, nil
	}
	return hexOf(rt, s, sum), true, nil
}

// base64Line is the length of the lines of TO_BASE64's result.
const base64Line = 76

func toBase64(rt *kernel.Runtime, s string) (string, bool, error) {
	const bytesOfLine = base64Line / 4 * 3
	b, long, err := rt.Allot(base64.StdEncoding.EncodedLen(len(s)) + max(len(s)-1, 0)/bytesOfLine)
	if long || err != nil {
		return "", false, err
	}
	for i := 1; len(s) > bytesOfLine; i++ {
		if i*bytesOfLine%kernel.PieceBytes < bytesOfLine {
			if err := rt.Cancelled(); err != nil {
				return "", false, err
			}
		}
		b = append(base64.StdEncoding.AppendEncode(b, kernel.BytesOf(s[:bytesOfLine])), '\n')
		s = s[bytesOfLine:]
	}
	return rt.Keep(base64.StdEncoding.AppendEncode(b, kernel.BytesOf(s))), true, nil
}

// fromBase64 ignores white space; anything else that is not base64 yields NULL.
func fromBase64(rt *kernel.Runtime, s string) (string, bool, error) {
	b, _, err := rt.Allot(base64.StdEncoding.DecodedLen(len(s)) + 3) // never too long: s is longer
	if err != nil {
		return "", false, err
	}
	var part [1 << 10]byte
	for i, whole, parts := 0, true, 0; i < len(s); parts++ {
		if parts%(kernel.PieceBytes/len(part)) == 0 {
			if err := rt.Cancelled(); err != nil {
				return "", false, err
			}
		}
		n := 0
		for ; i < len(s) && n < len(part); i++ {
			if strings.IndexByte(" \t\n\r\v\f", s[i]) < 0 {
				part[n] = s[i]
				n++
			}
		}
		before := len(b)
		if b, err = base64.StdEncoding.AppendDecode(b, part[:n]); err != nil || n > 0 && !whole {
			return "", false, nil
		}
		whole = len(b)-before == n/4*3 // otherwise padding ends the text
	}
	return rt.Keep(b), true, nil
}
