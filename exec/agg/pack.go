package agg

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"sync"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/exec/rowhash"
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Keys that are short texts are kept packed: as 128-bit numbers of up to shortText bytes and
// their number, in tables, buffers and on disk. Packed keys lie off the Go heap, are hashed
// and compared without a look at other memory, and equal texts are equal numbers. The few
// longer ones of such a key get numbers by which all workers know them.
const (
	shortText = 15
	longText  = -1 << 56 // the high word of longer ones: a length that no text has
	// longBytes is what a longer text takes in texts, beside its bytes.
	longBytes = 64
)

// packedType is what tables hold packed texts as.
var packedType = types.Dec(38, 0)

// texts has the texts of packed keys that are too long. Safe for concurrent use.
type texts struct {
	account *mem.Account
	mu      sync.Mutex
	ids     map[string]uint64
	all     []string
}

// id gives the number of a text. The error is the account's refusal.
func (t *texts) id(s string) (uint64, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if id, ok := t.ids[s]; ok {
		return id, nil
	}
	if err := t.account.Reserve(int64(len(s) + longBytes)); err != nil {
		return 0, err
	}
	if t.ids == nil {
		t.ids = make(map[string]uint64)
	}
	s = strings.Clone(s)
	id := uint64(len(t.all))
	t.ids[s], t.all = id, append(t.all, s)
	return id, nil
}

// list gives the texts by number.
func (t *texts) list() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.all
}

// choosePacked decides which keys are packed: those without longer texts in the first batch
// that some worker meets.
func (o *Operator) choosePacked(keys []*vec.Vector) {
	o.texts = &texts{account: o.account}
	o.packed = make([]bool, len(keys))
	for i, k := range keys {
		if k.Type.Kind() == types.KindStr && allShort(k) {
			o.packed[i], o.types[i] = true, packedType
		}
	}
}

func allShort(v *vec.Vector) bool {
	for _, s := range v.Flatten(nil).Str {
		if len(s) > shortText {
			return false
		}
	}
	return true
}

// packer packs the keys of one worker's batches.
type packer struct {
	o    *Operator
	keys []*vec.Vector
	bufs []vec.Vector
}

func (o *Operator) newPacker() *packer {
	return &packer{o: o, keys: make([]*vec.Vector, len(o.packed)), bufs: make([]vec.Vector, len(o.packed))}
}

// pack gives flat keys as tables hold them, valid until the next call.
func (p *packer) pack(keys []*vec.Vector) ([]*vec.Vector, error) {
	for i, k := range keys {
		if p.o.packed[i] {
			var err error
			if k, err = p.texts(k, &p.bufs[i]); err != nil {
				return nil, err
			}
		}
		p.keys[i] = k
	}
	return p.keys, nil
}

func (p *packer) texts(v, to *vec.Vector) (*vec.Vector, error) {
	to.Type = packedType
	to.Resize(v.N)
	out := to.Dec[:v.N]
	for i, s := range v.Str[:v.N] {
		if len(s) <= shortText {
			out[i] = packText(s)
			continue
		}
		if v.Null != nil && v.Null[i] {
			continue
		}
		id, err := p.o.texts.id(s)
		if err != nil {
			return nil, err
		}
		out[i] = decimal128.New(longText, id)
	}
	to.Null = v.Null
	return to, nil
}

// packText packs a text of up to shortText bytes.
func packText(s string) decimal128.Num {
	n := len(s)
	b := unsafe.Slice(unsafe.StringData(s), n)
	var low, high uint64
	switch {
	case n >= 8:
		low = binary.LittleEndian.Uint64(b)
		high = binary.LittleEndian.Uint64(b[n-8:]) >> (8 * (16 - n))
	case n >= 4:
		low = uint64(binary.LittleEndian.Uint32(b)) | uint64(binary.LittleEndian.Uint32(b[n-4:]))<<(8*(n-4))
	case n > 0:
		low = uint64(b[0]) | uint64(b[n/2])<<(8*(n/2)) | uint64(b[n-1])<<(8*(n-1))
	}
	return decimal128.New(int64(high|uint64(n)<<56), low)
}

// unpacker makes texts of packed ones for one goroutine. Others may keep the texts: their
// bytes are never written to again. Of texts met lately there is one copy.
type unpacker struct {
	lately []lateText // by the first bits of their hashes
	room   []byte
}

type lateText struct {
	packed decimal128.Num
	text   string
}

const (
	latelyBits = 12 // of the largest table
	roomBytes  = 16 << 10
)

// unpack writes the texts of v to to; long has those that are too long to be packed.
func (u *unpacker) unpack(v, to *vec.Vector, long []string) {
	to.Resize(v.N)
	width := min(latelyBits, bits.Len(uint(v.N)))
	if len(u.lately) < 1<<width {
		u.lately = make([]lateText, 1<<width)
	}
	shift := 65 - bits.Len(uint(len(u.lately)))
	for i, x := range v.Dec[:v.N] {
		if x.HighBits() == longText {
			to.Str[i] = long[x.LowBits()]
			continue
		}
		slot := &u.lately[rowhash.Decimal(x, 0)>>shift]
		if slot.packed != x {
			slot.packed, slot.text = x, u.text(x)
		}
		to.Str[i] = slot.text
	}
	to.Null = v.Null
}

// text unpacks one text.
func (u *unpacker) text(x decimal128.Num) string {
	if len(u.room) < shortText+1 { // it is written as two whole words
		u.room = make([]byte, roomBytes)
	}
	binary.LittleEndian.PutUint64(u.room, x.LowBits())
	binary.LittleEndian.PutUint64(u.room[8:], uint64(x.HighBits()))
	n := int(uint64(x.HighBits()) >> 56)
	s := unsafe.String(unsafe.SliceData(u.room), n)
	u.room = u.room[n:]
	return s
}
