package chainlog

import (
	"hash/crc32"
	"io"
	"runtime"
	"sync"

	"gsql/internal/mem"
	"gsql/sql/sqlerr"
	"gsql/storage/vfs"
)

// Record is a record of a log.
type Record struct {
	End      Pos // what Append returned for it
	Contents []byte
}

// batchBytes is the size of a batch, unless a record is longer. Tests make it smaller.
var batchBytes int64 = 512 << 10

// ScanBatches is Scan on all cores. prepare is called for batches of consecutive records, by several
// goroutines and in any order; use gets the batches in order, each with the result of prepare. The
// records of a batch must not be used after use returns.
func ScanBatches[T any](fsys vfs.FS, name string, kind Kind, prepare func([]Record) T, use func([]Record, T) error) (End, error) {
	s, found, err := open(fsys, name, kind)
	if s == nil {
		return End{kind: kind}, err
	}
	defer s.close()
	if err != nil || !found {
		return s.end, err
	}
	if err := scanAhead(s, prepare, use); err != nil {
		return s.end, err
	}
	// What is left begins with the end of the log, or with damage.
	return s.end, s.records(func(at Pos, record []byte) error {
		one := []Record{{at, record}}
		return use(one, prepare(one))
	})
}

// batch is a part of the file with whole records.
type batch[T any] struct {
	buf     *mem.Buffer[byte]
	from    Pos      // place of the first record
	chain   uint32   // before the first record
	headers []record // of all records
	valid   int      // number of headers whose contents match the checksum
	records []Record // among the valid ones, those that are no marks
	result  T        // of prepare
	err     error    // where checking or preparing panicked
	ready   chan struct{}
}

// ahead reads batches ahead of their use.
type ahead[T any] struct {
	s       *scanner
	account *mem.Account
	free    chan *batch[T] // may be filled
	work    chan *batch[T] // are to be checked and prepared
	ordered chan *batch[T] // in the order of the file
	stop    chan struct{}  // closed when nothing more is wanted
	err     error          // of reading; it ends ordered
}

// scanAhead uses the batches of a log up to the first record that is not whole, or cannot be read.
func scanAhead[T any](s *scanner, prepare func([]Record) T, use func([]Record, T) error) error {
	workers := int(min(int64(runtime.GOMAXPROCS(0)), s.in.size/batchBytes+1))
	buffers := workers + 2
	a := &ahead[T]{s: s, account: s.in.account, free: make(chan *batch[T], buffers), work: make(chan *batch[T], buffers),
		ordered: make(chan *batch[T], buffers), stop: make(chan struct{})}
	all := make([]*batch[T], buffers)
	for i := range all {
		all[i] = &batch[T]{ready: make(chan struct{}, 1)}
		a.free <- all[i]
	}
	var g sync.WaitGroup
	g.Go(func() {
		defer close(a.ordered)
		defer close(a.work)
		a.err = sqlerr.Guard(a.read)
	})
	for range workers {
		g.Go(func() {
			for b := range a.work {
				b.err = sqlerr.Guard(func() error {
					b.check()
					b.result = prepare(b.records)
					return nil
				})
				b.ready <- struct{}{}
			}
		})
	}
	err := a.consume(use)
	close(a.stop)
	g.Wait()
	for _, b := range all {
		b.buf.Free()
	}
	return err
}

// consume uses the batches and moves the scanner behind them.
func (a *ahead[T]) consume(use func([]Record, T) error) error {
	for b := range a.ordered {
		if <-b.ready; b.err != nil {
			return b.err
		}
		if err := use(b.records, b.result); err != nil {
			return err
		}
		end := &a.s.end
		for _, r := range b.headers[:b.valid] {
			end.pass(r)
		}
		if b.valid < len(b.headers) {
			return nil
		}
		var none T
		b.result = none
		a.free <- b
	}
	return a.err
}

// read fills batches until a record is not whole, which the scanner looks into, or the file cannot
// be read.
func (a *ahead[T]) read() error {
	pos, chain := a.s.end.Pos, a.s.end.chain
	for {
		var b *batch[T]
		select {
		case b = <-a.free:
		case <-a.stop:
			return nil
		}
		b.from, b.chain, b.headers, b.records = pos, chain, b.headers[:0], b.records[:0]
		n, err := a.fill(b)
		if err != nil || len(b.headers) == 0 {
			return err
		}
		pos, chain = pos+Pos(n), b.headers[len(b.headers)-1].chain
		a.ordered <- b
		a.work <- b
	}
}

// fill reads the records of a batch and returns their size.
func (a *ahead[T]) fill(b *batch[T]) (size int64, err error) {
	left := a.s.in.size - int64(b.from)
	for want := min(batchBytes, left); ; {
		if err := mem.Room(a.account, &b.buf, int(want)); err != nil {
			return 0, err
		}
		n, err := a.s.in.file.ReadAt(b.buf.S[:want], int64(b.from))
		if err != nil && err != io.EOF { // the file may have become shorter
			return 0, err
		}
		size, want = b.walk(b.buf.S[:n], a.s.end.header)
		if len(b.headers) > 0 || want <= int64(n) || want > left {
			return size, nil
		}
	}
}

// walk finds the whole records at the beginning of data and returns their size. next is the size up
// to the end of the record behind them if its header is right.
func (b *batch[T]) walk(data []byte, h header) (size, next int64) {
	for len(data)-int(size) >= recordSize {
		r, ok := h.record(data[size:], b.from+Pos(size))
		if !ok {
			break
		}
		next = size + recordSize + padded(int64(r.length))
		if next > int64(len(data)) {
			return size, next
		}
		b.headers = append(b.headers, r)
		size = next
	}
	return size, size
}

// check finds out which records match their checksums.
func (b *batch[T]) check() {
	at, chain := int64(0), b.chain
	for b.valid = 0; b.valid < len(b.headers); b.valid++ {
		r := &b.headers[b.valid]
		contents := b.buf.S[at+recordSize:][:padded(int64(r.length))]
		if crc32.Update(chain, castagnoli, contents) != r.chain {
			return
		}
		chain = r.chain
		at += recordSize + int64(len(contents))
		if r.typ == typeRecord {
			b.records = append(b.records, Record{b.from + Pos(at), contents[:r.length]})
		}
	}
}
