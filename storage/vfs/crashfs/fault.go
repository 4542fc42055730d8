package crashfs

import "io/fs"

// fault makes operations fail.
type fault struct {
	op     int
	beyond bool // later ones too
	err    error
}

// Fail makes an operation fail and, if beyond is true, all later ones. A write that fails leaves a
// part of its data. A sync of a file that fails loses some changes for good, although reads go on to
// see them and later syncs succeed, as with real systems. SyncDir may be tried again.
func (f *FS) Fail(op int, err error, beyond bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = append(f.faults, fault{op: op, beyond: beyond, err: err})
}

// FailReads makes reads of a file fail until it is called with a nil error.
func (f *FS) FailReads(name string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.readFault[name] = err
}

// FailRead makes a read fail, counted from now on, and, if beyond is true, all later ones. Reads are
// opens, lists, sizes and reads of files. A nil error ends this.
func (f *FS) FailRead(number int, err error, beyond bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reads, f.readFailed, f.readsFail = 0, "", fault{op: number, beyond: beyond, err: err}
}

// ReadFailed returns the first read since FailRead that was made to fail, or "".
func (f *FS) ReadFailed() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.readFailed
}

// reading counts a read and returns the error that it is made to fail with. f.mu is held.
func (f *FS) reading(op, name string) error {
	f.reads++
	x := &f.readsFail
	err := f.readFault[name]
	if x.err != nil && (x.op == f.reads || x.beyond && x.op < f.reads) {
		err = x.err
	}
	if err == nil {
		return nil
	}
	if f.readFailed == "" {
		f.readFailed = op + " " + name
	}
	return f.fail(op, name, err)
}

// fault returns the error that the present operation is made to fail with.
func (f *FS) fault() error {
	for _, x := range f.faults {
		if x.op == f.ops || x.beyond && x.op < f.ops {
			return x.err
		}
	}
	return nil
}

// Flip flips a bit of a file, also on stable storage.
func (f *FS) Flip(name string, bit int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.names.current[name]
	switch {
	case n == nil:
		return f.fail("flip", name, fs.ErrNotExist)
	case bit < 0 || bit/8 >= n.current.size:
		return f.fail("flip", name, fs.ErrInvalid)
	}
	for _, c := range []*content{&n.current, &n.durable} {
		var b [1]byte
		if c.read(b[:], bit/8) == 1 {
			b[0] ^= 1 << (bit % 8)
			c.write(f.gen, b[:], bit/8)
			f.gen = newGeneration() // both may have the same chunks
		}
	}
	return nil
}
