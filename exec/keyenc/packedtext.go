package keyenc

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

const (
	longText = -1 << 56 // the high word of longer texts: a length that no packed text has
	// longBytes is the number of bytes that a longer text takes in LongTexts in addition to its
	// own.
	longBytes = 64
)

// PackedText is the type of packed texts: 128-bit numbers that consist of up to 15 bytes and
// their count. They are off the Go heap and are hashed and compared without reading other memory;
// equal texts are equal numbers. Longer texts are numbered by LongTexts.
var PackedText = types.Dec(38, 0)

// LongTexts holds the texts that are too long to be packed. It is safe for concurrent use.
type LongTexts struct {
	account *mem.Account
	mu      sync.Mutex
	ids     map[string]uint64
	all     []string
}

// NewLongTexts returns LongTexts that charge account. Ending account releases the charges.
func NewLongTexts(account *mem.Account) *LongTexts { return &LongTexts{account: account} }

// id returns the number of a text, or the account's error if memory is refused.
func (t *LongTexts) id(s string) (uint64, error) {
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

// List returns the texts by number.
func (t *LongTexts) List() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.all
}

// AllShort reports whether no text of v is too long to be packed.
func AllShort(v *vec.Vector) bool {
	for _, s := range v.Flatten(nil).Str {
		if len(s) > textMax {
			return false
		}
	}
	return true
}

// Pack writes the packed texts of v, which is flat, to to, which shares the NULL flags. It
// returns the account's error if the memory for a longer text is refused.
func (t *LongTexts) Pack(v, to *vec.Vector) error {
	to.Type = PackedText
	to.Resize(v.N)
	out := to.Dec[:v.N]
	for i, s := range v.Str[:v.N] {
		if len(s) <= textMax {
			out[i] = packText(s)
			continue
		}
		if v.Null != nil && v.Null[i] {
			continue
		}
		id, err := t.id(s)
		if err != nil {
			return err
		}
		out[i] = decimal128.New(longText, id)
	}
	to.Null = v.Null
	return nil
}

// packText packs a text of up to textMax bytes.
func packText(s string) decimal128.Num {
	w := textOf(s)
	return decimal128.New(int64(w.high), w.low)
}

// TextUnpacker makes texts of packed ones in one goroutine. Others may keep the texts, whose
// bytes are never overwritten. Recently unpacked texts share their memory.
type TextUnpacker struct {
	recent []recentText // by the first bits of their hashes
	room   []byte
}

type recentText struct {
	packed decimal128.Num
	text   string
}

const (
	recentBits = 12 // of the largest table of recent texts
	roomBytes  = 16 << 10
)

// Unpack writes the texts of v to to; long holds the longer ones by number.
func (u *TextUnpacker) Unpack(v, to *vec.Vector, long []string) {
	to.Resize(v.N)
	width := min(recentBits, bits.Len(uint(v.N)))
	if len(u.recent) < 1<<width {
		u.recent = make([]recentText, 1<<width)
	}
	shift := 65 - bits.Len(uint(len(u.recent)))
	for i, x := range v.Dec[:v.N] {
		if x.HighBits() == longText {
			to.Str[i] = long[x.LowBits()]
			continue
		}
		slot := &u.recent[rowhash.Decimal(x, 0)>>shift]
		if slot.packed != x {
			slot.packed, slot.text = x, u.text(x)
		}
		to.Str[i] = slot.text
	}
	to.Null = v.Null
}

// text unpacks one text.
func (u *TextUnpacker) text(x decimal128.Num) string {
	if len(u.room) < textMax+1 { // it is written as two whole words
		u.room = make([]byte, roomBytes)
	}
	binary.LittleEndian.PutUint64(u.room, x.LowBits())
	binary.LittleEndian.PutUint64(u.room[8:], uint64(x.HighBits()))
	n := int(uint64(x.HighBits()) >> 56)
	s := unsafe.String(unsafe.SliceData(u.room), n)
	u.room = u.room[n:]
	return s
}
