package eval

import (
	"encoding/binary"
	"sync"
	"unsafe"

	"gsql/sql/expr"
	"gsql/sql/types"
)

// numbering assigns numbers to expressions by structure (value numbering): equal expressions get
// the same number and are computed once.
type numbering struct {
	calls map[*expr.Call]int
	ids   map[string]int
	key   []byte
	args  []int  // numbers of arguments of the calls being numbered, innermost last
	text  []byte // backing storage for the keys of ids
	// registers of the root block being compiled, by value number
	registers []reg
}

// numberings are reused, because growing new maps would be a large part of the cost of compiling
// a short expression.
var numberings = sync.Pool{New: func() any {
	return &numbering{calls: map[*expr.Call]int{}, ids: map[string]int{}}
}}

// keptValues is the largest number of values for which a numbering is kept for reuse.
const keptValues = 1024

func (v *numbering) release() {
	if len(v.ids) > keptValues {
		return
	}
	clear(v.calls)
	clear(v.ids)
	v.text, v.registers = v.text[:0], v.registers[:0]
	numberings.Put(v)
}

// number returns e's value number. A volatile expression equals no other.
func (v *numbering) number(e expr.Expr) int {
	switch e := e.(type) {
	case *expr.Call:
		n, ok := v.calls[e]
		if !ok {
			n = v.call(e)
			v.calls[e] = n
		}
		return n
	case *expr.Col:
		return v.intern(binary.AppendVarint(v.begin('c', e.T), int64(e.ID)))
	case *expr.Param:
		return v.intern(binary.AppendVarint(v.begin('p', e.T), int64(e.Slot)))
	case *expr.Const:
		k := v.begin('k', e.Value.Type)
		if e.Value.Null {
			return v.intern(append(k, 0))
		}
		return v.intern(e.Value.AppendText(append(k, 1)))
	}
	return v.unique()
}

func (v *numbering) call(e *expr.Call) int {
	if sig := expr.Lookup(e.Fn); sig != nil && sig.Volatile {
		return v.unique()
	}
	base := len(v.args)
	for _, a := range e.Args {
		v.args = append(v.args, v.number(a))
	}
	k := v.begin('f', e.T)
	for _, a := range v.args[base:] {
		k = binary.AppendUvarint(k, uint64(a))
	}
	v.args = v.args[:base]
	return v.intern(append(append(k, 0xff), e.Fn...))
}

func (v *numbering) unique() int {
	return v.intern(binary.AppendUvarint(append(v.key[:0], 'v'), uint64(len(v.ids))))
}

func (v *numbering) begin(tag byte, t types.Type) []byte {
	k := append(v.key[:0], tag, byte(t.ID), t.Prec, t.Scale, t.ShownScale)
	return binary.AppendUvarint(k, uint64(t.Len))
}

// intern returns the number of key k, assigning a new one if necessary.
func (v *numbering) intern(k []byte) int {
	v.key = k
	n, ok := v.ids[string(k)]
	if !ok {
		n = len(v.ids)
		v.text = append(v.text, k...)
		own := v.text[len(v.text)-len(k):]
		v.ids[unsafe.String(unsafe.SliceData(own), len(own))] = n // text is not overwritten before ids is cleared
	}
	return n
}
