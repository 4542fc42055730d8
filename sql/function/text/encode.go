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

// hash appends the hexadecimal hash of b to dst, which may share b's memory.
type hash func(dst, b []byte) []byte

func digest(sum hash) kernel.Kernel {
	return kernel.TryUnary(func(rt *kernel.Runtime, s string) (string, bool, error) {
		return hexOf(rt, s, sum), true, nil
	})
}

func hexOf(rt *kernel.Runtime, s string, sum hash) string {
	rt.Buf = append(rt.Buf[:0], s...)
	rt.Buf = sum(rt.Buf[:0], rt.Buf)
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
	b := rt.Buf[:0]
	for len(s) > base64Line/4*3 {
		b = append(base64.StdEncoding.AppendEncode(b, []byte(s[:base64Line/4*3])), '\n')
		s = s[base64Line/4*3:]
	}
	b = base64.StdEncoding.AppendEncode(b, []byte(s))
	rt.Buf = b
	return rt.Text(b), true, nil
}

// fromBase64 ignores white space; anything else that is not base64 yields NULL.
func fromBase64(rt *kernel.Runtime, s string) (string, bool, error) {
	b := rt.Buf[:0]
	for i := 0; i < len(s); i++ {
		if strings.IndexByte(" \t\n\r\v\f", s[i]) < 0 {
			b = append(b, s[i])
		}
	}
	n, err := base64.StdEncoding.Decode(b, b)
	rt.Buf = b
	return rt.Text(b[:n]), err == nil, nil
}
