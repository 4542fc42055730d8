package ptx

import (
	"strings"

	"gsql/gpu/pipeline"
)

// A search in an index of slots reads one bucket, which is one sector of memory, and rarely a
// second one: with half of the slots in use, a bucket of 4 is full for one key in 25. The limit is
// the rate of random sector reads, 40 G/s on an H100 if the index exceeds the cache.

// slots holds the buckets that a thread searches, one for each row.
type slots struct {
	*tile
	x      *pipeline.Index
	keys   []string   // what is searched
	bucket []string   // numbers of buckets
	key    [][]string // keys of a bucket's slots, by row
	row    [][]string // rows of a bucket's slots, if it has any
}

// newSlots begins searches for keys at their home buckets.
func (k *tile) newSlots(x *pipeline.Index, key value) *slots {
	s := &slots{tile: k, x: x}
	if x.Wide {
		s.keys = k.words(key)
	} else {
		s.keys = k.registers(k.unsigned(key))
	}
	s.home()
	for range k.rows {
		keys, rows := make([]string, s.count()), make([]string, s.count())
		for i := range keys {
			keys[i] = s.free(k.reg(s.class()))
			switch {
			case x.Rows && x.Wide:
				rows[i] = s.free(k.reg("d"))
			case x.Rows:
				rows[i] = s.free(k.reg("r"))
			}
		}
		s.key, s.row = append(s.key, keys), append(s.row, rows)
	}
	return s
}

// registers returns values in registers of 32 bits.
func (k *writer) registers(values []string) []string {
	out := make([]string, len(values))
	for i, v := range values {
		if out[i] = v; v[0] != '%' {
			out[i] = k.reg("r")
			k.op("mov.b32 %s, %s", out[i], v)
		}
	}
	return out
}

// count returns the slots of a bucket.
func (s *slots) count() int64 { return pipeline.BucketBytes / s.x.SlotBytes() }

// bucketsMost is the maximum number of buckets that a search examines. While half of the slots are
// free, runs of full buckets are shorter: an index with a longer run has too few slots.
const bucketsMost = 64

// most returns the maximum number of times that a search reads a bucket. An insertion reads a
// bucket again if another thread was faster, which happens less often than there are slots.
func (s *slots) most() int64 { return min(s.x.Size, bucketsMost) }

func (s *slots) buckets() int64 { return s.x.Size / s.count() }

// class returns the class of the registers of keys.
func (s *slots) class() string {
	if s.x.Wide {
		return "d"
	}
	return "r"
}

// bits returns the type of keys.
func (s *slots) bits() string {
	if s.x.Wide {
		return "b64"
	}
	return "b32"
}

// free sets a register to the value of free slots and returns the register.
func (s *slots) free(r string) string {
	bits := "b32"
	if strings.HasPrefix(r, "%d") {
		bits = "b64"
	}
	s.op("mov.%s %s, -1", bits, r)
	return r
}

// home sets the numbers of the buckets at which searches begin: the keys' hashes, as fractions of
// 2^32, times the number of buckets. The hashes have the same highest bits as those of
// kernels/hash.cuh.
func (s *slots) home() {
	s.bucket = s.regs("r")
	for i, key := range s.keys {
		x, shifted := s.reg(s.class()), s.reg(s.class())
		high := x
		if s.x.Wide {
			s.op("shr.u64 %s, %s, 30", shifted, key)
			s.op("xor.b64 %s, %s, %s", x, key, shifted)
			s.op("mul.lo.u64 %s, %s, %d", x, x, uint64(0xbf58476d1ce4e5b9))
			s.op("shr.u64 %s, %s, 27", shifted, x)
			s.op("xor.b64 %s, %s, %s", x, x, shifted)
			s.op("mul.lo.u64 %s, %s, %d", x, x, uint64(0x94d049bb133111eb))
			low := s.reg("r")
			high = s.reg("r")
			s.op("mov.b64 {%s, %s}, %s", low, high, x)
		} else {
			s.op("shr.u32 %s, %s, 16", shifted, key)
			s.op("xor.b32 %s, %s, %s", x, key, shifted)
			s.op("mul.lo.u32 %s, %s, %d", x, x, 0x7feb352d)
			s.op("shr.u32 %s, %s, 15", shifted, x)
			s.op("xor.b32 %s, %s, %s", x, x, shifted)
			s.op("mul.lo.u32 %s, %s, %d", x, x, uint32(0x846ca68b))
		}
		s.op("mul.hi.u32 %s, %s, %d", s.bucket[i], high, s.buckets())
	}
}

// load reads the buckets of the rows whose predicate is set, and returns their addresses. how is nc
// if nothing changes the index at the same time, else volatile.
func (s *slots) load(where []string, how string) (at []string) {
	name := "ld.global.nc"
	if how != "nc" {
		name = "ld." + how + ".global"
	}
	for i := range s.bucket {
		a := s.slotAddress(s.x.Slots, s.bucket[i], pipeline.BucketBytes)
		at = append(at, a)
		var all []string // registers in the order of memory
		for n := range s.key[i] {
			switch {
			case s.x.Rows && !s.x.Wide:
				all = append(all, s.row[i][n], s.key[i][n])
			case s.x.Rows:
				all = append(all, s.key[i][n], s.row[i][n])
			default:
				all = append(all, s.key[i][n])
			}
		}
		half := len(all) / 2
		for h := range 2 {
			s.op("@%s %s.v%d.%s {%s}, [%s+%d]", where[i], name, half, s.bits(), strings.Join(all[h*half:(h+1)*half], ", "), a, h*pipeline.BucketBytes/2)
		}
	}
	return at
}

// onward moves to the next bucket where p is set.
func (s *slots) onward(i int, p string) {
	last := s.reg("p")
	s.op("@%s add.u32 %s, %s, 1", p, s.bucket[i], s.bucket[i])
	s.op("setp.eq.u32 %s, %s, %d", last, s.bucket[i], s.buckets())
	s.op("@%s mov.b32 %s, 0", last, s.bucket[i])
}

// findSlots looks up keys for the rows whose predicate is set, and returns the rows found: the
// first one of each key.
func (k *tile) findSlots(x *pipeline.Index, key value, where []string) match {
	s := k.newSlots(x, key)
	m := match{row: k.regs("r"), found: k.regs("p")}
	pending := k.regs("p")
	for i := range pending {
		k.op("mov.pred %s, %s", pending[i], where[i])
		k.op("mov.pred %s, 0", m.found[i])
		k.op("mov.b32 %s, -1", m.row[i])
	}
	loop, tries := k.label("FIND"), k.reg("r")
	k.op("mov.b32 %s, 0", tries)
	k.mark(loop)
	s.load(pending, "nc")
	for i := range pending {
		for n, there := range s.key[i] {
			hit := k.reg("p")
			k.op("setp.eq.and.%s %s, %s, %s, %s", s.bits(), hit, there, s.keys[i], pending[i])
			k.op("or.pred %s, %s, %s", m.found[i], m.found[i], hit)
			switch {
			case x.Rows && x.Wide:
				k.op("@%s cvt.u32.u64 %s, %s", hit, m.row[i], s.row[i][n])
			case x.Rows:
				k.op("@%s mov.b32 %s, %s", hit, m.row[i], s.row[i][n])
			}
		}
		// Slots fill in order: a free one ends the search.
		missing := k.reg("p")
		k.op("not.pred %s, %s", missing, m.found[i])
		k.op("and.pred %s, %s, %s", pending[i], pending[i], missing)
		k.op("setp.ne.and.%s %s, %s, -1, %s", s.bits(), pending[i], s.key[i][s.count()-1], pending[i])
		s.onward(i, pending[i])
	}
	more := k.reg("p")
	k.op("add.u32 %s, %s, 1", tries, tries)
	k.op("setp.lt.u32 %s, %s, %d", more, tries, s.most())
	k.op("and.pred %s, %s, %s", more, more, k.some(pending))
	k.op("@%s bra %s", more, loop)
	return m
}

// insertion is the insertion of a thread's rows into an index of slots.
type insertion struct {
	*slots
	index   int
	what    []string // rows, or what the index has instead
	pending []string
	link    []string // row that was inserted before under the same key, if the index has Next
}

// insertSlots inserts keys with rows for the rows where the predicate is set.
func (k *tile) insertSlots(index int, key value, what, where []string) {
	x := &k.p.Indexes[index]
	in := &insertion{slots: k.newSlots(x, key), index: index, what: what, pending: k.regs("p")}
	for i, p := range in.pending {
		k.op("mov.pred %s, %s", p, where[i])
	}
	if x.Next != pipeline.None {
		in.link = k.regs("r")
		for _, r := range in.link {
			k.op("mov.b32 %s, -1", r)
		}
	}
	loop, done, tries := k.label("INSERT"), k.label("INSERTED"), k.reg("r")
	k.op("mov.b32 %s, 0", tries)
	k.mark(loop)
	at := in.load(in.pending, "volatile")
	for i := range in.pending {
		in.take(i, at[i])
	}
	k.op("add.u32 %s, %s, 1", tries, tries)
	more, again := k.some(in.pending), k.reg("p")
	k.op("@!%s bra %s", more, done)
	k.op("setp.lt.u32 %s, %s, %d", again, tries, in.most())
	k.op("@%s bra %s", again, loop)
	k.op("red.global.or.b32 [%s], %d", k.address(k.status), uint32(1)<<min(index, 31))
	k.mark(done)
	for i, r := range in.link {
		k.op("@%s st.global.b32 [%s], %s", where[i], k.slotAddress(x.Next, k.row[i], 4), r)
	}
}

// take finds the first slot of a bucket that is free or has the key, and claims it. If there is
// none, the search continues in the next bucket; if another thread was faster, in the same one.
func (in *insertion) take(i int, at string) {
	slot, holder := in.reg("r"), in.reg("p")
	in.op("mov.b32 %s, %d", slot, in.count())
	in.op("mov.pred %s, 0", holder)
	for n := in.count() - 1; n >= 0; n-- {
		mine, here := in.reg("p"), in.reg("p")
		in.op("setp.eq.%s %s, %s, %s", in.bits(), mine, in.key[i][n], in.keys[i])
		in.op("setp.eq.%s %s, %s, -1", in.bits(), here, in.key[i][n])
		in.op("or.pred %s, %s, %s", here, here, mine)
		in.op("@%s mov.b32 %s, %d", here, slot, n)
		in.op("@%s mov.pred %s, %s", here, holder, mine)
	}
	some, full, open, place := in.reg("p"), in.reg("p"), in.reg("p"), in.reg("d")
	in.op("setp.lt.and.u32 %s, %s, %d, %s", some, slot, in.count(), in.pending[i])
	in.op("setp.ge.and.u32 %s, %s, %d, %s", full, slot, in.count(), in.pending[i])
	in.op("mad.wide.u32 %s, %s, %d, %s", place, slot, in.x.SlotBytes(), at)
	in.op("and.pred %s, %s, %s", holder, holder, some)
	in.op("not.pred %s, %s", open, holder)
	in.op("and.pred %s, %s, %s", open, open, some)
	won := in.claim(i, place, open, holder)
	in.again(i, place, won, holder)
	done := in.reg("p")
	in.op("or.pred %s, %s, %s", done, won, holder)
	in.op("not.pred %s, %s", done, done)
	in.op("and.pred %s, %s, %s", in.pending[i], in.pending[i], done)
	in.onward(i, full)
}

// claim puts the key into a free slot where open is set. It returns where it succeeded, and sets
// holder where the slot now has the key.
func (in *insertion) claim(i int, place, open, holder string) (won string) {
	won = in.reg("p")
	typ, old, free, word := "b64", in.reg("d"), "-1", in.keys[i]
	switch {
	case in.x.Wide:
	case in.x.Rows:
		word = in.pair(i)
	default:
		typ, old = "b32", in.reg("r")
	}
	in.op("mov.%s %s, 0", typ, old)
	in.op("@%s atom.global.cas.%s %s, [%s], %s, %s", open, typ, old, place, free, word)
	in.op("setp.eq.and.%s %s, %s, -1, %s", typ, won, old, open)
	same, held := in.reg("p"), old
	if in.x.Rows && !in.x.Wide {
		low := in.reg("r")
		held = in.reg("r")
		in.op("mov.b64 {%s, %s}, %s", low, held, old)
	}
	in.op("setp.eq.and.%s %s, %s, %s, %s", in.bits(), same, held, in.keys[i], open)
	in.op("or.pred %s, %s, %s", holder, holder, same)
	return won
}

// pair returns the word that holds a key and its row or value.
func (in *insertion) pair(i int) string {
	word := in.reg("d")
	in.op("mov.b64 %s, {%s, %s}", word, in.what[i], in.keys[i])
	return word
}

// again stores the row or value next to the key, where the slot was claimed or already had the key.
// The rows of a key form a chain that begins with the one inserted last.
func (in *insertion) again(i int, place, won, holder string) {
	if in.x.Unique {
		in.repeated(holder)
	}
	switch {
	case !in.x.Rows:
	case in.x.Wide:
		stored := in.reg("p")
		in.op("or.pred %s, %s, %s", stored, won, holder)
		if in.link == nil {
			in.op("@%s st.global.b32 [%s+8], %s", stored, place, in.what[i])
		} else {
			in.op("@%s atom.global.exch.b32 %s, [%s+8], %s", stored, in.link[i], place, in.what[i])
		}
	case in.link != nil:
		old, high := in.reg("d"), in.reg("r")
		in.op("mov.b64 %s, -1", old)
		in.op("@%s atom.global.exch.b64 %s, [%s], %s", holder, old, place, in.pair(i))
		in.op("@%s mov.b64 {%s, %s}, %s", holder, in.link[i], high, old)
	}
}
