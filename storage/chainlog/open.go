package chainlog

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"

	"gsql/internal/mem"
	"gsql/sql/sqlerr"
	"gsql/storage/vfs"
)

// Create makes a new log. The file is durable when Create returns.
func Create(fsys vfs.FS, name string, kind Kind, mode Sync) (*Log, error) {
	if err := kind.check(); err != nil {
		return nil, err
	}
	f, err := fsys.Create(name)
	if err != nil {
		return nil, err
	}
	h, err := begin(fsys, f, kind)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return start(fsys, f, h, End{Pos: headerSize, chain: h.crc}, mode), nil
}

// Continue opens a log that Scan has read to its end, in order to append to it. What lies behind
// the end is removed, and what lies before it is durable when Continue returns: if only a process
// has died, Scan also reads what that process had not synced.
func Continue(fsys vfs.FS, name string, end End, mode Sync) (*Log, error) {
	f, err := fsys.OpenWritable(name)
	if err != nil {
		return nil, err
	}
	h, err := reopen(fsys, f, &end)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return start(fsys, f, h, end, mode), nil
}

// begin writes the header of an empty file.
func begin(fsys vfs.FS, f vfs.File, kind Kind) (h header, err error) {
	var salt [8]byte
	rand.Read(salt[:])
	b := encodeHeader(kind, binary.LittleEndian.Uint64(salt[:]))
	if _, err := f.WriteAt(b, 0); err != nil {
		return h, err
	}
	if err := f.Sync(); err != nil {
		return h, err
	}
	h, _, _, _ = decodeHeader(b)
	return h, fsys.SyncDir()
}

// reopen makes a file end at end.
func reopen(fsys vfs.FS, f vfs.File, end *End) (h header, err error) {
	if end.Pos == 0 { // its creation was interrupted
		if err := end.kind.check(); err != nil {
			return h, err
		}
		if err := f.Truncate(0); err != nil {
			return h, err
		}
		h, err = begin(fsys, f, end.kind)
		end.Pos, end.chain = headerSize, h.crc
		return h, err
	}
	b := make([]byte, headerSize)
	if _, err := f.ReadAt(b, 0); err != nil {
		return h, err
	}
	h, _, _, ok := decodeHeader(b)
	if !ok || h != end.header {
		return h, fmt.Errorf("%s: the end to continue from is that of another log", f.Name())
	}
	size, err := f.Size()
	if err != nil {
		return h, err
	}
	if size != int64(end.Pos) {
		if err := f.Truncate(int64(end.Pos)); err != nil {
			return h, err
		}
	}
	if err := rewrite(f, int64(end.synced), int64(end.Pos)); err != nil {
		return h, err
	}
	if err := f.Sync(); err != nil {
		return h, err
	}
	return h, fsys.SyncDir()
}

// rewrite writes a part of a file again with what it has. If a sync fails, the operating system may
// keep data that can be read and that later syncs leave out; they write only what has changed.
func rewrite(f vfs.File, from, end int64) error {
	b := make([]byte, min(end-from, windowSize))
	for ; from < end; from += int64(len(b)) {
		b = b[:min(end-from, int64(len(b)))]
		if _, err := f.ReadAt(b, from); err != nil {
			return err
		}
		if _, err := f.WriteAt(b, from); err != nil {
			return err
		}
	}
	return nil
}

// start returns the log whose file ends at end.
func start(fsys vfs.FS, f vfs.File, h header, end End, mode Sync) *Log {
	l := &Log{
		file: f, path: filepath.Join(fsys.String(), f.Name()), account: mem.NewRoot("a log", 0), mode: mode,
		size: end.Pos, written: end.Pos, durable: end.Pos, allocated: end.Pos,
		most: maxWaiting, header: h, chain: end.chain, marked: end.marked,
		dirty: make(chan struct{}, 1), closing: make(chan struct{}), ended: make(chan struct{}),
	}
	l.progress.L = &l.mu
	go func() {
		defer close(l.ended)
		if err := sqlerr.Guard(l.background); err != nil {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.poison(err)
		}
	}()
	return l
}
