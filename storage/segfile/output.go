package segfile

import (
	"sync"

	"gsql/internal/mem"
	"gsql/sql/sqlerr"
	"gsql/storage/vfs"
)

// output collects the blocks of a file in memory and writes them in a goroutine of its own, a few
// megabytes at a time. Systems let only one goroutine write to a file: if those that encode columns
// wrote them, most of them would wait. It is safe for concurrent use.
type output struct {
	file    vfs.File
	path    string
	account *mem.Account
	io      sync.Mutex // held while blocks are written

	mu       sync.Mutex
	moved    sync.Cond // a piece was written, or a goroutine ended
	end      int64     // of the blocks whose place is known
	sections []section
	filling  *piece   // takes further blocks; nil if there is none
	full     []*piece // are to be written
	pieces   int      // that are not written
	written  int64    // up to where everything is written
	spare    []*mem.Buffer[byte]
	writing  bool  // a goroutine writes pieces
	starting bool  // a goroutine makes the system write
	waiting  int64 // bytes written since the system was last made to write
	err      error // the first failure; the file can only be aborted then
}

// piece is a part of the file that is not written yet.
type piece struct {
	memory *mem.Buffer[byte]
	at     int64
	used   int  // bytes that blocks have taken
	filled int  // bytes that were copied
	closed bool // takes no more blocks
}

// Sizes of pieces, and the number that may wait to be written. A piece is as large as what is already in the file, so that
// small files need little memory.
const (
	leastPiece = 64 << 10
	mostPiece  = 4 << 20
	mostPieces = 4
	piecePart  = 256 // of the memory that is left: most for a piece
)

// startBytes is the number of bytes after which the disk begins to write them: it then works beside
// those who make segments, and not only in Finish.
const startBytes = 8 << 20

func newOutput(file vfs.File, path string, account *mem.Account) *output {
	o := &output{file: file, path: path, account: account, end: headBytes}
	o.moved.L = &o.mu
	return o
}

// add puts a block of the file with a number behind those before and returns its place. It may append to the
// block, which it copies. Later calls report errors of writing it.
func (o *output) add(number uint64, kind byte, block []byte) (Ref, error) {
	n := len(block) + checkBytes
	if n >= leastPiece && o.io.TryLock() { // nobody writes: it needs no copy
		defer o.io.Unlock()
		r, err := o.placeOutside(number, kind, n)
		if err != nil {
			return Ref{}, err
		}
		return r, o.writeAlone(appendCheck(block, number, r.Offset), r.Offset)
	}
	p, r, at, err := o.place(number, kind, n)
	if err != nil {
		return Ref{}, err
	}
	block = appendCheck(block, number, r.Offset)
	if p == nil {
		return r, o.write(block, r.Offset)
	}
	copy(p.memory.S[at:], block)
	o.mu.Lock()
	defer o.mu.Unlock()
	p.filled += len(block)
	o.queue(p)
	return r, nil
}

// place returns where a block of n bytes belongs: in the file, and in a piece if there is memory for one.
func (o *output) place(number uint64, kind byte, n int) (p *piece, r Ref, at int, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if p, err = o.room(n); err != nil {
		return nil, Ref{}, 0, err
	}
	if p != nil {
		at = p.used
		p.used += n
	}
	return p, o.next(number, kind, n), at, nil
}

// placeOutside returns where a block of n bytes belongs in the file that is not in a piece.
func (o *output) placeOutside(number uint64, kind byte, n int) (Ref, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return Ref{}, o.err
	}
	if o.filling != nil {
		o.close()
	}
	return o.next(number, kind, n), nil
}

// next returns the place of the next block. mu is held.
func (o *output) next(number uint64, kind byte, n int) Ref {
	r := Ref{File: number, Offset: o.end, Length: int64(n)}
	o.sections = append(o.sections, section{kind, r.Length})
	o.end += r.Length
	return r
}

// room returns a piece with room for n bytes, or nil if they are better written at once. It waits while too
// many pieces are to be written. mu is held.
func (o *output) room(n int) (*piece, error) {
	for o.err == nil {
		switch p := o.filling; {
		case p != nil && n <= len(p.memory.S)-p.used:
			return p, nil
		case p != nil:
			o.close()
		case n > o.pieceSize():
			return nil, nil
		case o.pieces < mostPieces:
			memory := o.memory(max(n, o.pieceSize()))
			if memory == nil {
				return nil, nil
			}
			o.pieces++
			o.filling = &piece{memory: memory, at: o.end}
		default:
			o.moved.Wait()
		}
	}
	return nil, o.err
}

func (o *output) pieceSize() int {
	return int(max(leastPiece, min(mostPiece, o.end, o.account.Left()/piecePart)))
}

// memory returns memory for a piece of n bytes, or nil if there is none.
func (o *output) memory(n int) *mem.Buffer[byte] {
	if last := len(o.spare) - 1; last >= 0 {
		m := o.spare[last]
		o.spare = o.spare[:last]
		if len(m.S) >= n {
			return m
		}
		m.Free()
	}
	m, err := mem.Scratch[byte](o.account, n)
	if err != nil {
		return nil
	}
	return m
}

// close makes the piece that is being filled take no more blocks. mu is held.
func (o *output) close() {
	p := o.filling
	o.filling, p.closed = nil, true
	o.queue(p)
}

// queue lets a piece be written if it is complete. mu is held.
func (o *output) queue(p *piece) {
	if !p.closed || p.filled < p.used {
		return
	}
	o.full = append(o.full, p)
	if o.writing {
		return
	}
	o.writing = true
	go func() {
		if err := sqlerr.Guard(o.writeFull); err != nil {
			_ = o.fail(err) // later calls report it
		}
	}()
}

// writeFull writes the pieces that are complete, and those that become so meanwhile.
func (o *output) writeFull() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	defer func() {
		o.writing = false
		o.moved.Broadcast()
	}()
	for len(o.full) > 0 {
		p := o.full[0]
		o.full = o.full[1:]
		o.writePiece(p)
	}
	return nil
}

// writePiece writes a piece, unless something has failed, and takes its memory back. mu is held, but not while it
// writes.
func (o *output) writePiece(p *piece) {
	defer func() {
		o.pieces--
		o.spare = append(o.spare, p.memory)
		o.moved.Broadcast()
	}()
	if o.err != nil {
		return
	}
	o.mu.Unlock()
	defer o.mu.Lock()
	_ = o.write(p.memory.S[:p.used], p.at) // later calls report the error
}

// write writes bytes and makes the system begin to write them to the disk if they have become many.
func (o *output) write(b []byte, at int64) error {
	o.io.Lock()
	defer o.io.Unlock()
	return o.writeAlone(b, at)
}

// writeAlone is write for callers that hold io.
func (o *output) writeAlone(b []byte, at int64) error {
	if _, err := o.file.WriteAt(b, at); err != nil {
		return o.fail(writeError(err, o.path))
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.waiting += int64(len(b)); o.waiting < startBytes || o.starting {
		return nil
	}
	o.waiting, o.starting = 0, true
	go func() { // it may take a while if the disk is busy
		err := sqlerr.Guard(func() error {
			vfs.StartSync(o.file)
			return nil
		})
		if err != nil {
			_ = o.fail(err) // later calls report it
		}
		o.mu.Lock()
		defer o.mu.Unlock()
		o.starting = false
		o.moved.Broadcast()
	}()
	return nil
}

// flush waits until the file has its first bytes, as many as upTo says.
func (o *output) flush(upTo int64) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.err == nil && o.written < upTo {
		switch {
		case o.filling != nil:
			o.close()
		case o.pieces > 0:
			o.moved.Wait()
		default:
			o.written = o.end
		}
	}
	return o.err
}

// stop waits until nothing is written any more and frees the memory. Unless something has failed,
// the file has all blocks then.
func (o *output) stop() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.filling != nil {
		o.close()
	}
	for o.pieces > 0 || o.writing || o.starting {
		o.moved.Wait()
	}
	for _, m := range o.spare {
		m.Free()
	}
	o.spare = nil
}

// fail records the first failure and returns it.
func (o *output) fail(err error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		o.err = err
	}
	o.moved.Broadcast()
	return o.err
}

// failed returns the first failure.
func (o *output) failed() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// size returns the bytes of the file with those that are still to be written.
func (o *output) size() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.end
}
