package state

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"unicode/utf8"
	"unsafe"

	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/json"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// joiner concatenates the rows of one group after another. If DISTINCT is set, each distinct
// value occurs once: the texts are compared or, if there are arguments after the text, these.
type joiner struct {
	c    *concat
	g    int
	buf  []byte
	held int64 // bytes reserved for buf
	rows int   // rows concatenated
	full bool  // the limit is exceeded: further rows change nothing
	met  map[string]bool
	kept int64 // bytes of met, only part of which is reserved
	paid int64
	key  []byte

	keyHeld int64 // bytes reserved for key
}

// longResult is the size of texts from which copies are avoided.
const longResult = 512 << 10

// Memory in addition to texts: metBytes for each distinct value of a group, and memberBytes for
// each member of an object while it is made. Memory for values is reserved metStep bytes at a
// time.
const metBytes, memberBytes, metStep = 64, 512, 1 << 12

func (c *concat) newJoiner() *joiner { return &joiner{c: c} }

// begin starts a group.
func (j *joiner) begin(g int) {
	j.g, j.buf, j.rows, j.full = g, j.buf[:0], 0, false
	if j.c.a.Distinct {
		j.forget()
		j.met = map[string]bool{}
	}
}

// add appends a row of the arguments to the group, unless it is full.
func (j *joiner) add(args []*vec.Vector, row int) error {
	if j.full {
		return nil
	}
	if j.met != nil {
		if met, err := j.meet(args, row); met || err != nil {
			return err
		}
	}
	value := catalog.DatumAt(args[0], row)
	if room := j.c.limit - len(j.buf); len(value.Str) > room {
		value.Str = value.Str[:room+1] // what follows would be cut
	}
	if err := j.room(len(j.c.sep) + len(value.Str) + mostText); err != nil {
		return err
	}
	if j.rows > 0 {
		j.buf = append(j.buf, j.c.sep...)
	}
	j.buf = value.AppendText(j.buf)
	j.rows++
	j.full = len(j.buf) > j.c.limit
	return nil
}

// mostText is the greatest number of bytes that a value other than a text has as a text.
const mostText = 128

// room reserves and allocates memory for n more bytes of the result.
func (j *joiner) room(n int) error {
	need := len(j.buf) + n
	if need <= cap(j.buf) {
		return nil
	}
	size := need + need/4
	if need < longResult {
		size = 2 * need
	}
	if err := j.c.reserve(int64(size)); err != nil {
		return err
	}
	j.buf = append(make([]byte, 0, size), j.buf...)
	j.c.account.Discard(j.held)
	j.held = int64(size)
	return nil
}

// meet records the value of a row, and reports whether it has occurred in the group.
func (j *joiner) meet(args []*vec.Vector, row int) (met bool, err error) {
	if len(args) == 1 && args[0].Type.Kind() == types.KindStr && len(args[0].Str[row]) >= longResult {
		if text := args[0].Str[row]; !j.met[text] {
			return false, j.keepKey(text)
		}
		return true, nil
	}
	if err := j.keyRoom(args, row); err != nil {
		return false, err
	}
	if j.key = appendDistinct(j.key[:0], args, row); j.met[string(j.key)] {
		return true, nil
	}
	return false, j.keepKey("")
}

// keyRoom reserves and allocates memory for the key of a row if that is long.
func (j *joiner) keyRoom(args []*vec.Vector, row int) error {
	need := 0
	for _, a := range args {
		if need += mostText; a.Type.Kind() == types.KindStr {
			need += len(a.Str[row])
		}
	}
	if need < longResult || need <= cap(j.key) {
		return nil
	}
	if err := j.c.reserve(int64(need)); err != nil {
		return err
	}
	j.c.account.Discard(j.keyHeld)
	j.key, j.keyHeld = make([]byte, 0, need), int64(need)
	return nil
}

// keepKey adds a long text, or else a copy of the key, to those that have occurred in the group.
func (j *joiner) keepKey(text string) error {
	n := len(text)
	if n == 0 {
		n = len(j.key)
	}
	j.kept += metBytes + int64(n)
	if more := j.kept - j.paid; more >= metStep {
		if err := j.c.reserve(more); err != nil {
			return err
		}
		j.paid = j.kept
	}
	if text == "" {
		text = string(j.key)
	}
	j.met[text] = true
	return nil
}

// forget drops the values that have occurred in the group.
func (j *joiner) forget() {
	j.c.account.Discard(j.paid)
	j.met, j.kept, j.paid = nil, 0, 0
}

// end makes the result of the group, which stays NULL if there are no rows.
func (j *joiner) end() error {
	if j.rows == 0 {
		return nil
	}
	if j.full {
		j.cut()
	}
	if j.c.a.Fn == expr.GroupConcat && len(j.buf) >= longResult { // the buffer becomes the result
		j.c.results[j.g], j.c.null[j.g] = unsafe.String(&j.buf[0], len(j.buf)), false
		j.c.held += j.held
		j.buf, j.held = nil, 0
		return nil
	}
	n := int64(len(j.buf))
	if err := j.c.reserve(n); err != nil {
		return err
	}
	j.c.held += n
	if j.c.a.Fn == expr.JSONObjectAgg { // the list of members, as text and parsed
		members := 2*n + memberBytes*int64(j.rows)
		if err := j.c.reserve(members); err != nil {
			return err
		}
		defer j.c.account.Release(members)
	}
	var err error
	j.c.results[j.g], err = j.c.enclose(j.buf)
	j.c.null[j.g] = false
	return err
}

// cut shortens a result to the limit, at the end of a character, and adds a warning.
func (j *joiner) cut() {
	if env := j.c.ctx.Env; env != nil {
		env.Warn(uint16(sqlerr.CutValueGroupConcat), "Row "+strconv.Itoa(j.g+1)+" was cut by GROUP_CONCAT()")
	}
	j.buf = j.buf[:j.c.limit]
	if !utf8.Valid(j.buf) {
		j.buf = bytes.ToValidUTF8(j.buf, nil)
	}
}

// free releases the memory of the group being concatenated.
func (j *joiner) free() {
	j.forget()
	j.c.account.Discard(j.held + j.keyHeld)
	j.buf, j.held, j.key, j.keyHeld = nil, 0, nil, 0
}

// appendDistinct appends what identifies a row of GROUP_CONCAT(DISTINCT): its text, or the
// arguments after it, each preceded by its length.
func appendDistinct(dst []byte, args []*vec.Vector, row int) []byte {
	if len(args) == 1 {
		return catalog.DatumAt(args[0], row).AppendText(dst)
	}
	for _, a := range args[1:] {
		text := catalog.DatumAt(a, row).Text()
		dst = append(binary.AppendUvarint(dst, uint64(len(text))), text...)
	}
	return dst
}

// enclose makes the result of a group from its concatenated rows. The rows of an object are
// objects of one member each.
func (c *concat) enclose(buf []byte) (string, error) {
	switch c.a.Fn {
	case expr.JSONArrayAgg:
		return "[" + string(buf) + "]", nil
	case expr.JSONObjectAgg:
		return json.Join("["+string(buf)+"]", c.cancelled)
	}
	return string(buf), nil
}

// cancelled returns the error of a cancelled statement.
func (c *concat) cancelled() error {
	if c.ctx.Env == nil || c.ctx.Env.Running().Err() == nil {
		return nil
	}
	return sqlerr.From(c.ctx.Env.Running().Err())
}
