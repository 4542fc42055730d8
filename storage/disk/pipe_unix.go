//go:build unix

package disk

import (
	"errors"

	"golang.org/x/sys/unix"
)

// nonBlocking makes opening a pipe return without waiting for its writer.
const nonBlocking = unix.O_NONBLOCK

// pollMillis is the interval at which awaitWriter checks the context, in milliseconds.
const pollMillis = 20

// awaitWriter waits until a pipe is open for writing; before that, reads would find its end.
func (f *File) awaitWriter() error {
	raw, err := f.h.SyscallConn()
	if err != nil {
		return err
	}
	for {
		if err := f.ctx.Err(); err != nil {
			return err
		}
		ready := 0
		var failed error
		err := raw.Control(func(fd uintptr) {
			ready, failed = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, pollMillis)
		})
		switch {
		case err != nil:
			return err
		case failed != nil && !errors.Is(failed, unix.EINTR):
			return failed
		case ready > 0:
			return nil
		}
	}
}
