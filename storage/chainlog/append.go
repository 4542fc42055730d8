package chainlog

import (
	"fmt"
	"hash/crc32"
)

// Append adds one record, which consists of the pieces, and returns its end. The order of calls is
// the order of records. The pieces are copied. Append waits for no I/O, unless too many records
// wait already; Commit makes the record durable.
func (l *Log) Append(pieces ...[]byte) (Pos, error) {
	n := int64(0)
	for _, p := range pieces {
		n += int64(len(p))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if n > maxRecord {
		return 0, fmt.Errorf("%s: a record of %d bytes is too long", l.path, n)
	}
	if err := l.room(int(recordSize + padded(n))); err != nil {
		return 0, err
	}
	if err := l.add(typeRecord, n, pieces); err != nil {
		return 0, err
	}
	select {
	case l.dirty <- struct{}{}:
	default:
	}
	return l.size, nil
}

// room waits until few enough bytes wait to be written. A record that is too long for any buffer
// may wait alone.
func (l *Log) room(n int) error {
	for {
		switch err := l.usable(); {
		case err != nil:
			return err
		case l.waiting.n == 0 || l.waiting.n+n <= l.most:
			return nil
		case l.writing:
			l.progress.Wait()
		default:
			l.write()
			l.pass()
		}
	}
}

// add puts a record behind those that wait.
func (l *Log) add(typ uint32, n int64, pieces [][]byte) error {
	space := int(recordSize + padded(n))
	b, err := l.waiting.extend(l.account, space)
	if err != nil {
		return err
	}
	contents := b[recordSize:]
	at := 0
	for _, p := range pieces {
		at += copy(contents[at:], p)
	}
	clear(contents[at:])
	l.chain = crc32.Update(l.chain, castagnoli, contents)
	record{length: uint32(n), typ: typ, synced: l.durable, chain: l.chain}.put(b, l.header, l.size)
	l.size += Pos(space)
	l.marked = typ == typeMark
	return nil
}
