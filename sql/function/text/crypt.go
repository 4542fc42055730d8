package text

import (
	"bytes"
	"compress/zlib"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
	"io"
	"strings"
	"sync"

	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

func registerCrypt() {
	kernel.Register(
		kernel.Def{Name: "compress", Bind: kernel.Fn(kernel.TryUnary(compress)), Total: kernel.Always},
		kernel.Def{Name: "uncompress", Bind: kernel.Fn(kernel.TryUnary(uncompress))},
		kernel.Def{Name: "uncompressed_length", Bind: kernel.Fn(kernel.TryUnary(uncompressedLength))},
		kernel.Def{Name: "random_bytes", Bind: kernel.Fn(randomBytes)},
		kernel.Def{Name: "aes_encrypt", Bind: kernel.Fn(kernel.TryBinary(aesEncrypt)), Total: kernel.Always},
		kernel.Def{Name: "aes_decrypt", Bind: kernel.Fn(kernel.TryBinary(aesDecrypt)), Total: kernel.Always},
	)
}

// deflaters holds writers for reuse: making one takes far longer than compressing a short text.
var deflaters = sync.Pool{New: func() any { return zlib.NewWriter(nil) }}

// compress appends the length in four bytes, least significant first, and then zlib's output. A
// trailing space is followed by a point, so that it is not removed.
func compress(rt *kernel.Runtime, s string) (string, bool, error) {
	if s == "" {
		return "", true, nil
	}
	draft := compressed{rt, binary.LittleEndian.AppendUint32(rt.Buf[:0], uint32(len(s))&0x3fffffff)}
	w := deflaters.Get().(*zlib.Writer)
	defer deflaters.Put(w)
	w.Reset(&draft)
	_, err := w.Write(kernel.BytesOf(s))
	if cerr := w.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return "", false, err
	}
	if out := draft.text; out[len(out)-1] == ' ' {
		draft.text = append(out, '.')
	}
	return rt.Done(draft.text)
}

// compressed is a text under construction that a compressor writes.
type compressed struct {
	rt   *kernel.Runtime
	text []byte
}

// Write implements io.Writer.
func (c *compressed) Write(b []byte) (n int, err error) {
	if c.text, err = c.rt.Extend(c.text, len(b)); err != nil {
		return 0, err
	}
	c.text = append(c.text, b...)
	return len(b), nil
}

func uncompress(rt *kernel.Runtime, s string) (string, bool, error) {
	if s == "" {
		return "", true, nil
	}
	n, ok, err := uncompressedLength(rt, s)
	if !ok || err != nil {
		return "", false, err
	}
	if n > kernel.MaxText {
		rt.Warn(sqlerr.TooBigForUncompress, "Uncompressed data size too large; the maximum size is %d (probably, length of uncompressed data was corrupted)", kernel.MaxText)
		return "", false, nil
	}
	out, _, err := rt.Allot(int(n))
	if err != nil {
		return "", false, err
	}
	out = out[:n]
	r, err := zlib.NewReader(strings.NewReader(s[4:]))
	if err == nil {
		_, err = io.ReadFull(r, out)
	}
	if err == nil {
		if rest, end := io.ReadFull(r, make([]byte, 1)); rest > 0 || end != io.EOF {
			err = io.ErrShortBuffer
		}
	}
	if err != nil {
		rt.Warn(sqlerr.ZlibDataError, "ZLIB: Input data corrupted")
		return "", false, nil
	}
	return rt.Keep(out), true, nil
}

func uncompressedLength(rt *kernel.Runtime, s string) (int64, bool, error) {
	switch {
	case s == "":
		return 0, true, nil
	case len(s) <= 4:
		rt.Warn(sqlerr.ZlibDataError, "ZLIB: Input data corrupted")
		return 0, false, nil
	}
	return int64(binary.LittleEndian.Uint32([]byte(s[:4])) & 0x3fffffff), true, nil
}

// maxRandomBytes is the maximum number of bytes that RANDOM_BYTES returns.
const maxRandomBytes = 1024

func randomBytes(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
	for i := range out.Str {
		if rt.IsNull(out, i) {
			continue
		}
		n := args[0].I64[i&kernel.Mask(args[0])]
		if n < 1 || n > maxRandomBytes {
			return rt.Fail(sqlerr.DataOutOfRange, "length value is out of range in 'random_bytes'")
		}
		b := make([]byte, n)
		_, _ = rand.Read(b) // never fails
		out.Str[i] = string(b)
	}
	return nil
}

// aesBlock returns AES with 128 bits. The bytes of a longer key are folded onto its beginning.
func aesBlock(key string) cipher.Block {
	var k [16]byte
	for i := 0; i < len(key); i++ {
		k[i%16] ^= key[i]
	}
	b, err := aes.NewCipher(k[:])
	if err != nil {
		panic(err) // 16 bytes are always a valid key
	}
	return b
}

// aesEncrypt encrypts block by block (ECB), as in block_encryption_mode's default aes-128-ecb.
// Padding bytes that hold their number fill the last block.
func aesEncrypt(rt *kernel.Runtime, s, key string) (string, bool, error) {
	block := aesBlock(key)
	pad := aes.BlockSize - len(s)%aes.BlockSize
	b, long, err := rt.Allot(len(s) + pad)
	if long || err != nil {
		return "", false, err
	}
	b = append(append(b, s...), bytes.Repeat([]byte{byte(pad)}, pad)...)
	for i := 0; i < len(b); i += aes.BlockSize {
		block.Encrypt(b[i:], b[i:])
	}
	return rt.Keep(b), true, nil
}

// aesDecrypt returns NULL for data that is not the result of such an encryption.
func aesDecrypt(rt *kernel.Runtime, s, key string) (string, bool, error) {
	if s == "" || len(s)%aes.BlockSize != 0 {
		return "", false, nil
	}
	b, long, err := rt.Copy(s)
	if long || err != nil {
		return "", false, err
	}
	block := aesBlock(key)
	for i := 0; i < len(b); i += aes.BlockSize {
		block.Decrypt(b[i:], b[i:])
	}
	pad := int(b[len(b)-1])
	if pad == 0 || pad > aes.BlockSize {
		return "", false, nil
	}
	for _, c := range b[len(b)-pad:] {
		if int(c) != pad {
			return "", false, nil
		}
	}
	return rt.Keep(b[:len(b)-pad]), true, nil
}
