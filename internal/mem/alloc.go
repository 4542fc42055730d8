package mem

import "unsafe"

// offHeap is the size from which buffers are mapped outside the Go heap: larger garbage costs a
// fault for each fresh page until the next collection.
const offHeap = 1 << 14

// Buffer is memory charged to an account. S is zeroed at first. Free returns the memory; S and
// slices of it must not be used afterwards.
type Buffer[T any] struct {
	S       []T
	account *Account
	bytes   int64
	mapped  []byte
}

// Alloc returns a buffer of n zeroed elements of a type without pointers. Large buffers are mapped
// outside the Go heap, with huge pages if the kernel grants them, and may reuse a freed mapping.
// The error is the account's refusal.
func Alloc[T any](a *Account, n int) (*Buffer[T], error) { return alloc[T](a, n, true) }

func alloc[T any](a *Account, n int, zeroed bool) (*Buffer[T], error) {
	var zero T
	bytes := int64(n) * int64(unsafe.Sizeof(zero))
	if err := a.Reserve(bytes); err != nil {
		return nil, err
	}
	b := &Buffer[T]{account: a, bytes: bytes}
	if bytes < offHeap {
		b.S = make([]T, n)
		return b, nil
	}
	m, err := mapping(roundUp(int(bytes)), zeroed)
	if err != nil {
		a.Release(bytes)
		return nil, refuse(a.name, bytes, a)
	}
	held.Add(1)
	b.mapped = m
	b.S = unsafe.Slice((*T)(unsafe.Pointer(&m[0])), n)
	return b, nil
}

// Scratch is Alloc for callers that write every element before reading it: elements start with
// arbitrary contents.
func Scratch[T any](a *Account, n int) (*Buffer[T], error) { return alloc[T](a, n, false) }

// Free returns the memory. It may be called on nil and more than once.
func (b *Buffer[T]) Free() {
	if b == nil || b.account == nil {
		return
	}
	if b.mapped != nil {
		held.Add(-1)
		recycled.put(b.mapped, b.account.mostKept())
	} else {
		Poison(b.S)
	}
	b.account.Release(b.bytes)
	b.S, b.mapped, b.account = nil, nil, nil
}

// Grow makes the buffer hold at least n elements, at least doubling it, and keeps the contents; new
// elements are zero. S changes. On an error b is unchanged.
func (b *Buffer[T]) Grow(n int) error { return b.grow(n, true) }

func (b *Buffer[T]) grow(n int, zeroed bool) error {
	if n <= len(b.S) {
		return nil
	}
	n = max(n, 2*len(b.S))
	if b.mapped != nil {
		return b.remap(n, zeroed)
	}
	bigger, err := alloc[T](b.account, n, zeroed)
	if err != nil {
		return err
	}
	copy(bigger.S, b.S)
	b.Free()
	*b = *bigger
	return nil
}

// Room makes *b, which may be nil, hold at least n elements, as Grow does.
func Room[T any](a *Account, b **Buffer[T], n int) (err error) {
	if *b == nil {
		*b, err = Alloc[T](a, n)
		return err
	}
	return (*b).Grow(n)
}

// ScratchRoom is Room for callers that write every element before reading it: new elements have
// arbitrary contents.
func ScratchRoom[T any](a *Account, b **Buffer[T], n int) (err error) {
	if *b == nil {
		*b, err = Scratch[T](a, n)
		return err
	}
	return (*b).grow(n, false)
}

// remap grows a mapping: in place if it is long enough, by copying if a kept mapping serves or the
// new one is small, or else by moving its pages.
func (b *Buffer[T]) remap(n int, zeroed bool) error {
	var zero T
	bytes := int64(n) * int64(unsafe.Sizeof(zero))
	if err := b.account.Reserve(bytes - b.bytes); err != nil {
		return err
	}
	m, err := b.longer(int(bytes), zeroed)
	if err != nil {
		b.account.Release(bytes - b.bytes)
		return refuse(b.account.name, bytes, b.account)
	}
	b.mapped, b.bytes = m, bytes
	b.S = unsafe.Slice((*T)(unsafe.Pointer(&m[0])), n)
	return nil
}

// longer returns a mapping of n bytes that replaces b's own: b's contents, followed by zeros or by
// arbitrary bytes.
func (b *Buffer[T]) longer(n int, zeroed bool) (m []byte, err error) {
	size := roundUp(n)
	if len(b.mapped) >= n {
		m = b.mapped
	} else if m = recycled.take(size); m == nil {
		if size > maxCut {
			if zeroed {
				clear(b.mapped[b.bytes:]) // the rest of a recycled mapping was never cleared
			}
			return remap(b.mapped, size)
		}
		if m, err = fresh(size); err != nil {
			return nil, err
		}
	}
	if &m[0] != &b.mapped[0] {
		copy(m, b.mapped[:b.bytes])
		recycled.put(b.mapped, b.account.mostKept())
	}
	if zeroed {
		clear(m[b.bytes:n])
	}
	return m, nil
}
