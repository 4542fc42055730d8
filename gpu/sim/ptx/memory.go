package ptx

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// address is a register or the block's memory, plus an offset.
type address struct {
	base   operand
	offset uint64
	shared bool
}

func (k *kernel) address(text string, shared bool) (a address, err error) {
	inner, opens := strings.CutPrefix(text, "[")
	text, closes := strings.CutSuffix(inner, "]")
	if !opens || !closes || text == "" || text[0] != '%' && text[0] != 'b' {
		return a, fmt.Errorf("%s is not an address", text)
	}
	a.shared = shared
	name, offset, _ := strings.Cut(text, "+")
	if offset != "" {
		n, err := strconv.ParseInt(offset, 10, 64)
		if err != nil {
			return a, err
		}
		a.offset = uint64(n)
	}
	typ := "u64"
	if shared {
		typ = "u32"
	}
	a.base, err = k.operand(name, typ)
	return a, err
}

// bytes returns n bytes at the address of a lane.
func (a *address) bytes(w *warp, base uint64, n int, reads bool) ([]byte, error) {
	if a.shared {
		return w.block.local(base+a.offset, n, reads)
	}
	return w.block.global(base+a.offset, n)
}

// qualifiers are the qualifiers of loads that have no effect here.
var qualifiers = []string{"nc", "volatile", "global"}

// access compiles loads, stores and atomic operations.
func (k *kernel) access(parts, args []string) (step, error) {
	name, typ := parts[0], parts[len(parts)-1]
	middle := parts[1 : len(parts)-1]
	if name == "ld" && middle[0] == "param" {
		return k.parameter(args)
	}
	shared := slices.Contains(middle, "shared")
	middle = slices.DeleteFunc(slices.Clone(middle), func(s string) bool { return s == "shared" || slices.Contains(qualifiers, s) })
	count := 1
	if len(middle) == 1 && (middle[0] == "v2" || middle[0] == "v4") {
		count, middle = int(middle[0][1]-'0'), nil
	}
	switch {
	case name == "ld" && len(middle) == 0:
		return k.loads(typ, count, shared, args)
	case name == "st" && len(middle) == 0 && count == 1:
		return k.atomic("", args[0], args[1:], "", typ, shared)
	case name == "red" && len(middle) == 1:
		return k.atomic("", args[0], args[1:], middle[0], typ, shared)
	case name == "atom" && len(middle) == 1:
		return k.atomic(args[0], args[1], args[2:], middle[0], typ, shared)
	}
	return nil, fmt.Errorf("%s is not known", strings.Join(parts, "."))
}

func (k *kernel) parameter(args []string) (step, error) {
	d, err := k.find(args[0], 'd')
	if err != nil {
		return nil, err
	}
	p := slices.Index(k.params, strings.Trim(args[1], "[]"))
	if p < 0 {
		return nil, fmt.Errorf("no parameter %s", args[1])
	}
	return func(w *warp, mask uint32) error {
		var out [32]uint64
		for lane := range out {
			out[lane] = w.block.args[p]
		}
		w.write(d, mask, &out)
		return nil
	}, nil
}

// loads reads one or several neighbouring elements.
func (k *kernel) loads(typ string, count int, shared bool, args []string) (step, error) {
	names := split(strings.Trim(args[0], "{}"))
	a, err := k.address(args[1], shared)
	if err != nil || len(names) != count {
		return nil, fmt.Errorf("%d registers: %w", len(names), err)
	}
	to := make([]int, count)
	for i, name := range names {
		classes := classesOf(typ)
		if width(typ) < 4 {
			classes = []byte{'r'}
		}
		if to[i], err = k.find(name, classes...); err != nil {
			return nil, err
		}
	}
	n := width(typ)
	return func(w *warp, mask uint32) error {
		var base [32]uint64
		if err := w.read(&a.base, mask, &base); err != nil {
			return err
		}
		var out [4][32]uint64
		for rest := mask; rest != 0; rest &= rest - 1 {
			lane := bits.TrailingZeros32(rest)
			raw, err := a.bytes(w, base[lane], n*count, true)
			if err != nil {
				return err
			}
			for i := range count {
				out[i][lane] = load(raw[i*n:], n)
			}
		}
		for i, r := range to {
			w.write(r, mask, &out[i])
		}
		return nil
	}, nil
}

func load(raw []byte, n int) uint64 {
	var word [8]byte
	copy(word[:], raw[:n])
	return binary.LittleEndian.Uint64(word[:])
}

func store(raw []byte, v uint64, n int) {
	var word [8]byte
	binary.LittleEndian.PutUint64(word[:], v)
	copy(raw[:n], word[:n])
}

// atomics compute the new value of an element from its old value and the operands.
var atomics = map[string]func(typ string, old uint64, x, y uint64) uint64{
	"":     func(_ string, _, x, _ uint64) uint64 { return x }, // a store
	"exch": func(_ string, _, x, _ uint64) uint64 { return x },
	"or":   func(_ string, old, x, _ uint64) uint64 { return old | x },
	"and":  func(_ string, old, x, _ uint64) uint64 { return old & x },
	"xor":  func(_ string, old, x, _ uint64) uint64 { return old ^ x },
	"min":  func(typ string, old, x, _ uint64) uint64 { return extreme(typ, old, x, true) },
	"max":  func(typ string, old, x, _ uint64) uint64 { return extreme(typ, old, x, false) },
	"cas": func(_ string, old, x, y uint64) uint64 {
		if old == x {
			return y
		}
		return old
	},
	"add": func(typ string, old, x, _ uint64) uint64 {
		if typ == "f64" {
			return ofFloat(float(old) + float(x))
		}
		return old + x
	},
}

// atomic compiles an atomic operation, which stores the old value in dst unless that is "".
func (k *kernel) atomic(dst, at string, args []string, op, typ string, shared bool) (step, error) {
	f := atomics[op]
	if f == nil {
		return nil, fmt.Errorf("operation %s of memory is not known", op)
	}
	a, err := k.address(at, shared)
	if err != nil {
		return nil, err
	}
	in, err := k.operands(typ, args)
	if err != nil {
		return nil, err
	}
	d := -1
	if dst != "" {
		if d, err = k.find(dst, classesOf(typ)...); err != nil {
			return nil, err
		}
	}
	n := width(typ)
	return func(w *warp, mask uint32) error {
		var base, out [32]uint64
		var x [2][32]uint64
		if err := w.read(&a.base, mask, &base); err != nil {
			return err
		}
		for i := range in {
			if err := w.read(&in[i], mask, &x[i]); err != nil {
				return err
			}
		}
		for rest := mask; rest != 0; rest &= rest - 1 {
			lane := bits.TrailingZeros32(rest)
			raw, err := a.bytes(w, base[lane], n, op != "")
			if err != nil {
				return err
			}
			out[lane] = load(raw, n)
			store(raw, f(typ, out[lane], x[0][lane], x[1][lane]), n)
		}
		if d >= 0 {
			w.write(d, mask, &out)
		}
		return nil
	}, nil
}
