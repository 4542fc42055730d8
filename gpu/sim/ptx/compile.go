package ptx

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"
)

// step executes an instruction for the lanes of a mask.
type step = func(w *warp, mask uint32) error

// compile sets the function that executes an instruction. parts are the parts of its name.
func (k *kernel) compile(i *instruction, parts, args []string) (err error) {
	typ := parts[len(parts)-1]
	switch name := parts[0]; name {
	case "ret", "bar":
		return nil
	case "ld", "st", "atom", "red":
		i.run, err = k.access(parts, args)
	case "mov":
		i.run, err = k.mov(typ, args)
	case "setp":
		i.run, err = k.setp(parts, args)
	case "selp":
		i.run, err = k.selp(typ, args)
	case "cvt":
		i.run, err = k.convert(parts[len(parts)-2], typ, args)
	case "activemask":
		i.run, err = k.activemask(args)
	case "vote", "shfl":
		i.run, err = k.exchange(strings.Join(parts, "."), args)
	case "mul", "mad":
		i.run, err = k.product(parts, args)
	default:
		i.run, err = k.compute(strings.Join(parts, "."), typ, args)
	}
	return err
}

// operands parses operands of one type.
func (k *kernel) operands(typ string, texts []string) ([]operand, error) {
	out := make([]operand, len(texts))
	for i, t := range texts {
		var err error
		if out[i], err = k.operand(t, typ); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// each returns a step that computes one result from operands. x holds their values in a lane.
func (k *kernel) each(dst, dstType string, sources []operand, f func(x *[3]uint64) (uint64, error)) (step, error) {
	d, err := k.find(dst, classesOf(dstType)...)
	if err != nil {
		return nil, err
	}
	return func(w *warp, mask uint32) error {
		var in [3][32]uint64
		for i := range sources {
			if err := w.read(&sources[i], mask, &in[i]); err != nil {
				return err
			}
		}
		var out [32]uint64
		for rest := mask; rest != 0; rest &= rest - 1 {
			lane := bits.TrailingZeros32(rest)
			var err error
			if out[lane], err = f(&[3]uint64{in[0][lane], in[1][lane], in[2][lane]}); err != nil {
				return err
			}
		}
		w.write(d, mask, &out)
		return nil
	}, nil
}

// mov copies a value, or joins or divides words of 64 bits.
func (k *kernel) mov(typ string, args []string) (step, error) {
	if strings.HasPrefix(args[0], "{") {
		return k.divide(typ, split(strings.Trim(args[0], "{}")), args[1])
	}
	if strings.HasPrefix(args[1], "{") {
		halves := split(strings.Trim(args[1], "{}"))
		in, err := k.operands("b32", halves)
		if err != nil {
			return nil, err
		}
		if len(halves) != 2 || typ != "b64" {
			return nil, fmt.Errorf("%d words of mov.%s", len(halves), typ)
		}
		return k.each(args[0], "b64", in, func(x *[3]uint64) (uint64, error) { return x[0] | x[1]<<32, nil })
	}
	in, err := k.operands(typ, args[1:])
	if err != nil {
		return nil, err
	}
	return k.each(args[0], typ, in, func(x *[3]uint64) (uint64, error) { return narrow(x[0], typ), nil })
}

// divide stores the halves of a word.
func (k *kernel) divide(typ string, to []string, from string) (step, error) {
	in, err := k.operands("b64", []string{from})
	if err != nil {
		return nil, err
	}
	if len(to) != 2 || typ != "b64" {
		return nil, fmt.Errorf("%d words of mov.%s", len(to), typ)
	}
	lo, errLo := k.each(to[0], "b32", in, func(x *[3]uint64) (uint64, error) { return x[0] & 0xffffffff, nil })
	hi, errHi := k.each(to[1], "b32", in, func(x *[3]uint64) (uint64, error) { return x[0] >> 32, nil })
	if errLo != nil || errHi != nil {
		return nil, errors.Join(errLo, errHi)
	}
	return func(w *warp, mask uint32) error {
		if err := lo(w, mask); err != nil {
			return err
		}
		return hi(w, mask)
	}, nil
}

func (k *kernel) selp(typ string, args []string) (step, error) {
	in, err := k.operands(typ, args[1:3])
	if err != nil {
		return nil, err
	}
	p, err := k.operand(args[3], "pred")
	if err != nil {
		return nil, err
	}
	return k.each(args[0], typ, append(in, p), func(x *[3]uint64) (uint64, error) {
		if x[2] != 0 {
			return x[0], nil
		}
		return x[1], nil
	})
}

// setp compares, and with .and combines the result with a predicate.
func (k *kernel) setp(parts, args []string) (step, error) {
	typ := parts[len(parts)-1]
	holds := comparisons[parts[1]]
	in, err := k.operands(typ, args[1:3])
	if err != nil {
		return nil, err
	}
	if len(parts) == 4 {
		p, err := k.operand(args[3], "pred")
		if err != nil {
			return nil, err
		}
		in = append(in, p)
	} else {
		in = append(in, operand{register: -1, value: 1})
	}
	return k.each(args[0], "pred", in, func(x *[3]uint64) (uint64, error) {
		if x[2] != 0 && holds(compare(typ, x[0], x[1])) {
			return 1, nil
		}
		return 0, nil
	})
}

func (k *kernel) convert(to, from string, args []string) (step, error) {
	in, err := k.operands(from, args[1:])
	if err != nil {
		return nil, err
	}
	return k.each(args[0], to, in, func(x *[3]uint64) (uint64, error) {
		if to == "f64" {
			return ofFloat(float64(signed(from, x[0]))), nil
		}
		if from == "s32" {
			return uint64(signed("s32", x[0])), nil
		}
		return narrow(x[0], to), nil
	})
}

func (k *kernel) compute(name, typ string, args []string) (step, error) {
	f := operations[strings.Split(name, ".")[0]]
	if f == nil {
		return nil, fmt.Errorf("instruction %s is not known", name)
	}
	types := make([]operand, 0, 3)
	for n, a := range args[1:] {
		t := typ
		if n > 0 && (strings.HasPrefix(name, "sh") || strings.HasPrefix(name, "bfe")) {
			t = "u32"
		}
		o, err := k.operand(a, t)
		if err != nil {
			return nil, err
		}
		types = append(types, o)
	}
	dst := typ
	if strings.HasPrefix(name, "popc") || strings.HasPrefix(name, "clz") {
		dst = "u32"
	}
	return k.each(args[0], dst, types, func(x *[3]uint64) (uint64, error) {
		v, err := f(typ, x)
		return narrow(v, dst), err
	})
}

// product compiles mul and mad, whose result may be wider than the factors, or its upper half.
func (k *kernel) product(parts, args []string) (step, error) {
	typ := parts[len(parts)-1]
	if typ == "f64" {
		return k.compute(strings.Join(parts, "."), typ, args)
	}
	result := typ
	if parts[1] == "wide" {
		result = "u64"
	}
	in, err := k.operands(typ, args[1:3])
	if err != nil {
		return nil, err
	}
	if parts[0] == "mad" {
		sum, err := k.operand(args[3], result)
		if err != nil {
			return nil, err
		}
		in = append(in, sum)
	}
	shift := 0
	if parts[1] == "hi" {
		shift = 32
	}
	if shift > 0 && typ == "u64" {
		return k.each(args[0], result, in, func(x *[3]uint64) (uint64, error) {
			high, _ := bits.Mul64(x[0], x[1])
			return high, nil
		})
	}
	return k.each(args[0], result, in, func(x *[3]uint64) (uint64, error) { return narrow((x[0]*x[1]+x[2])>>shift, result), nil })
}

func (k *kernel) activemask(args []string) (step, error) {
	d, err := k.find(args[0], 'r')
	if err != nil {
		return nil, err
	}
	return func(w *warp, mask uint32) error {
		var out [32]uint64
		for lane := range out {
			out[lane] = uint64(mask)
		}
		w.write(d, mask, &out)
		return nil
	}, nil
}

// exchange compiles a vote or a shuffle, which all lanes named by its last operand must execute
// together.
func (k *kernel) exchange(name string, args []string) (step, error) {
	d, err := k.find(args[0], 'r')
	if err != nil {
		return nil, err
	}
	vote := name == "vote.sync.ballot.b32"
	typ := "b32"
	if vote {
		typ = "pred"
	}
	from, err := k.operand(args[1], typ)
	if err != nil {
		return nil, err
	}
	rest, err := k.operands("b32", args[2:])
	if err != nil {
		return nil, err
	}
	if !vote && (rest[1].register >= 0 || rest[1].value != 31) {
		return nil, fmt.Errorf("a shuffle among fewer than 32 lanes")
	}
	source := func(lane, x int) int { return x & 31 }
	if name == "shfl.sync.bfly.b32" {
		source = func(lane, x int) int { return lane ^ x&31 }
	}
	return func(w *warp, mask uint32) error {
		var in, lanes, named, out [32]uint64
		if err := w.read(&rest[len(rest)-1], mask, &named); err != nil {
			return err
		}
		if err := w.meet(mask, &named); err != nil {
			return err
		}
		if err := w.read(&from, mask, &in); err != nil {
			return err
		}
		if vote {
			ballot(mask, &named, &in, &out)
			w.write(d, mask, &out)
			return nil
		}
		if err := w.read(&rest[0], mask, &lanes); err != nil {
			return err
		}
		for here := mask; here != 0; here &= here - 1 {
			lane := bits.TrailingZeros32(here)
			other := source(lane, int(lanes[lane]))
			if mask&uint32(named[lane])>>other&1 == 0 {
				return fmt.Errorf("lane %d reads lane %d, which is not here", lane, other)
			}
			out[lane] = in[other]
		}
		w.write(d, mask, &out)
		return nil
	}, nil
}

// ballot sets the bits of the lanes whose predicate is set, among the named lanes.
func ballot(mask uint32, named, in, out *[32]uint64) {
	set := uint64(0)
	for here := mask; here != 0; here &= here - 1 {
		lane := bits.TrailingZeros32(here)
		set |= in[lane] << lane
	}
	for lane := range out {
		out[lane] = set & named[lane]
	}
}

// meet returns an error for a warp operation unless each lane names itself, and all lanes that it
// names take part and name the same lanes.
func (w *warp) meet(mask uint32, named *[32]uint64) error {
	for here := mask; here != 0; here &= here - 1 {
		lane := bits.TrailingZeros32(here)
		members := uint32(named[lane])
		if members>>lane&1 == 0 {
			return fmt.Errorf("lane %d does not name itself", lane)
		}
		members &= w.live
		if members&mask != members {
			return fmt.Errorf("lanes %032b are not all here: %032b", members, mask)
		}
		for others := members; others != 0; others &= others - 1 {
			if other := bits.TrailingZeros32(others); named[other] != named[lane] {
				return fmt.Errorf("lanes %d and %d name different lanes", lane, other)
			}
		}
	}
	return nil
}
