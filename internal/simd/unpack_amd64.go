package simd

import (
	"slices"
	"unsafe"
)

// unpacking specifies how the bits of eight values are distributed to as many lanes, four from the
// bytes at the start and four from those after high. The assembly depends on its layout.
type unpacking struct {
	shuffle [32]byte
	shifts  [8]uint32
	mask    uint32
	high    uint64
	step    uint64 // bytes of eight values
}

var unpackings = func() (all [UnpackWidth + 1]unpacking) {
	for width := 1; width <= UnpackWidth; width++ {
		u := &all[width]
		u.mask, u.high, u.step = 1<<width-1, uint64(width/2), uint64(width)
		for i := range 8 {
			bit := i * width
			if i >= 4 {
				bit -= 8 * int(u.high)
			}
			for b := range 4 {
				u.shuffle[4*i+b] = byte(bit/8 + b)
			}
			u.shifts[i] = uint32(bit % 8)
		}
	}
	return all
}()

// whole32 returns how many of n values of width bits can be unpacked from size bytes in iterations
// of 32. The last eight values of an iteration are loaded together with some bytes after them.
func (u *unpacking) whole32(n, size int) int {
	behind := int(u.high) + 16 - int(u.step)
	if size < behind {
		return 0
	}
	return min(n, (size-behind)/int(u.step)*8) &^ 31
}

// Unpack writes the first values packed in src, lowest bits first, to dst, and returns their
// number, a multiple of 32, and the greatest of them. They have width bits, 1 to UnpackWidth.
func Unpack(dst []int32, src []byte, width uint) (done int, most uint32) {
	u := &unpackings[width]
	if done = u.whole32(len(dst), len(src)); level < AVX2 || done == 0 {
		return 0, 0
	}
	return done, unpackAVX2(&dst[0], &src[0], done, (*byte)(unsafe.Pointer(u)))
}

// UnpackScaled is like Unpack for values that are multiplied by step and added to base. The results are cut to the
// type of dst.
func UnpackScaled[T int8 | int16 | int32 | int64](dst []T, src []byte, width uint, base, step T) (done int) {
	u := &unpackings[width]
	if done = u.whole32(len(dst), len(src)); level < AVX2 || done == 0 {
		return 0
	}
	b, s, how := uint64(base), uint64(step), (*byte)(unsafe.Pointer(u))
	switch dst := any(&dst[0]).(type) {
	case *int8:
		unpack8AVX2(dst, &src[0], done, how, b, s)
	case *int16:
		unpack16AVX2(dst, &src[0], done, how, b, s)
	case *int32:
		unpack32AVX2(dst, &src[0], done, how, b, s)
	case *int64:
		unpack64AVX2(dst, &src[0], done, how, b, s)
	}
	return done
}

// Narrow sets the first elements of dst, which must be as long as src, to the low bits of those of src minus bias, and
// returns their number.
func Narrow[T uint8 | uint16 | uint32](dst []T, src []int64, bias int64) (done int) {
	if done = len(src) &^ 31; level < AVX2 || done == 0 {
		return 0
	}
	_ = dst[done-1]
	switch dst := any(&dst[0]).(type) {
	case *uint8:
		narrow8AVX2(dst, &src[0], done, bias)
	case *uint16:
		narrow16AVX2(dst, &src[0], done, bias)
	case *uint32:
		narrow32AVX2(dst, &src[0], done, bias)
	}
	return done
}

// Rebase sets the first elements of dst, which must be as long as src, to the low bits of those of src minus bias, and
// returns their number and the bounds of those of src.
func Rebase[D uint8 | uint16 | uint32, S int8 | int16 | int32](dst []D, src []S, bias int64) (lo, hi S, done int) {
	if done = len(src) &^ 127; level < AVX2 || done == 0 {
		return 0, 0, 0
	}
	_ = dst[done-1]
	var bounds [2][32]byte
	least, greatest := unsafe.Pointer(&bounds[0]), unsafe.Pointer(&bounds[1])
	switch src := any(&src[0]).(type) {
	case *int8:
		dst, ok := any(&dst[0]).(*uint8)
		if !ok {
			return 0, 0, 0
		}
		rebase8To8AVX2(dst, src, done, bias, (*int8)(least), (*int8)(greatest))
	case *int16:
		switch dst := any(&dst[0]).(type) {
		case *uint8:
			rebase16To8AVX2(dst, src, done, bias, (*int16)(least), (*int16)(greatest))
		case *uint16:
			rebase16To16AVX2(dst, src, done, bias, (*int16)(least), (*int16)(greatest))
		default:
			return 0, 0, 0
		}
	case *int32:
		switch dst := any(&dst[0]).(type) {
		case *uint8:
			rebase32To8AVX2(dst, src, done, bias, (*int32)(least), (*int32)(greatest))
		case *uint16:
			rebase32To16AVX2(dst, src, done, bias, (*int32)(least), (*int32)(greatest))
		case *uint32:
			rebase32To32AVX2(dst, src, done, bias, (*int32)(least), (*int32)(greatest))
		}
	}
	n := 32 / int(unsafe.Sizeof(lo))
	return slices.Min(unsafe.Slice((*S)(least), n)), slices.Max(unsafe.Slice((*S)(greatest), n)), done
}
