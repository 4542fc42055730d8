package segfile

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math"

	"gsql/sql/sqlerr"
	"gsql/storage/vfs"
)

// checkBuffer is the number of bytes that Check reads at once.
const checkBuffer = 1 << 20

// Check verifies all checksums of a file and that every byte of it is accounted for, and that it has the
// blocks that something refers to. It returns everything that is wrong. The errors wrap a *Damaged if the
// file is not as it was written.
func (f *Files) Check(ctx context.Context, number uint64, used ...Ref) []error {
	c := &checking{ctx: ctx, file: &file{files: f, number: number, name: fileName(number)}}
	h, err := f.fs.Open(c.file.name)
	if err != nil {
		return []error{readError(err, c.file.path(), 0)}
	}
	defer func() { _ = h.Close() }() // nothing was written
	c.handle = h
	if c.size, err = h.Size(); err != nil {
		return []error{readError(err, c.file.path(), 0)}
	}
	if err := c.file.checkHead(h); err != nil {
		if c.note(err, Ref{}); !errors.As(err, new(*Damaged)) {
			return c.found
		}
	}
	list, end, err := c.footer()
	if err != nil {
		c.note(err, Ref{})
		c.blocks(used)
		return c.found
	}
	c.blocks(c.listed(list, end, used))
	return c.found
}

// note notes what is wrong, with a block or with the whole file.
func (c *checking) note(err error, r Ref) {
	if err != nil {
		c.found = append(c.found, c.file.files.attributed(err, r))
	}
}

// listed returns the blocks that the footer lists and notes those that it should.
func (c *checking) listed(list []section, end int64, used []Ref) (blocks []Ref) {
	has := map[Ref]bool{}
	offset := int64(headBytes)
	for _, s := range list {
		if s.length < checkBytes || s.length > end-offset {
			c.note(damaged(c.file.path(), end, "the footer lists a block of %d bytes at byte %d", s.length, offset), Ref{})
			return used
		}
		r := Ref{c.file.number, offset, s.length}
		blocks, has[r] = append(blocks, r), true
		offset += s.length
	}
	if offset != end {
		c.note(damaged(c.file.path(), offset, "the footer lists no block for the %d bytes here", end-offset), Ref{})
	}
	for _, r := range used {
		if !has[r] {
			c.note(damaged(c.file.path(), r.Offset, "a block of %d bytes is missing", r.Length), r)
		}
	}
	return blocks
}

// blocks verifies the checksums of blocks.
func (c *checking) blocks(list []Ref) {
	for _, r := range list {
		if c.ctx.Err() != nil {
			c.note(sqlerr.From(c.ctx.Err()), Ref{})
			return
		}
		c.note(c.block(r.Offset, r.Length), r)
	}
}

// checking is the state of a check.
type checking struct {
	ctx    context.Context
	file   *file
	handle vfs.File
	size   int64
	buf    []byte
	found  []error
}

// read reads n bytes at offset; they are valid until the next call.
func (c *checking) read(offset, n int64) ([]byte, error) {
	if err := c.ctx.Err(); err != nil {
		return nil, sqlerr.From(err)
	}
	if int64(len(c.buf)) < n {
		c.buf = make([]byte, n)
	}
	if got, err := c.handle.ReadAt(c.buf[:n], offset); int64(got) < n {
		if err == io.EOF {
			return nil, damaged(c.file.path(), offset+int64(got), "the file ends here")
		}
		return nil, readError(err, c.file.path(), offset+int64(got))
	}
	return c.buf[:n], nil
}

// footer returns the blocks that the footer lists, and where it begins.
func (c *checking) footer() ([]section, int64, error) {
	at := c.size - tailBytes
	if at < headBytes {
		return nil, 0, damaged(c.file.path(), 0, "%d bytes are too few", c.size)
	}
	tail, err := c.read(at, tailBytes)
	if err != nil {
		return nil, 0, err
	}
	if string(tail[tailBytes-len(tailMagic):]) != tailMagic {
		return nil, 0, damaged(c.file.path(), at, "it does not end as a segment file: it was not finished, or something was added")
	}
	n := int64(binary.LittleEndian.Uint32(tail))
	sum := binary.LittleEndian.Uint32(tail[4:])
	if n > at-headBytes || n > math.MaxInt32 {
		return nil, 0, damaged(c.file.path(), at, "the length of the footer, %d, is wrong", n)
	}
	b, err := c.read(at-n, n+4)
	if err != nil {
		return nil, 0, err
	}
	if crc32.Checksum(b, castagnoli) != sum {
		return nil, 0, damaged(c.file.path(), at-n, "the checksum of the footer is wrong")
	}
	list, err := sections(b[:n])
	if err != nil {
		return nil, 0, damaged(c.file.path(), at-n, "the footer cannot be read: %v", err)
	}
	return list, at - n, nil
}

// block verifies the checksum of a block.
func (c *checking) block(offset, length int64) error {
	sum := seed(c.file.number, offset)
	for at, end := offset, offset+length-checkBytes; at < end; {
		b, err := c.read(at, min(checkBuffer, end-at))
		if err != nil {
			return err
		}
		sum = crc32.Update(sum, castagnoli, b)
		at += int64(len(b))
	}
	b, err := c.read(offset+length-checkBytes, checkBytes)
	if err != nil {
		return err
	}
	if binary.LittleEndian.Uint32(b) != sum {
		return damaged(c.file.path(), offset, "the checksum of a block of %d bytes is wrong", length)
	}
	return nil
}
