//go:build unix

package theme

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// ask writes a question to a terminal and returns what it sends, until that is complete or the time is over.
func ask(in, out *os.File, question string, complete func([]byte) bool, patience time.Duration) (answer []byte) {
	fd := int(in.Fd())
	before, err := term.MakeRaw(fd)
	if err != nil {
		return nil
	}
	defer func() { _ = term.Restore(fd, before) }() // it was possible to change it
	if _, err := out.WriteString(question); err != nil {
		return nil
	}
	buf := make([]byte, 256)
	for end := time.Now().Add(patience); !complete(answer); {
		left := time.Until(end).Milliseconds()
		if left <= 0 {
			return answer
		}
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(left))
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if n <= 0 || err != nil {
			return answer
		}
		if n, err = unix.Read(fd, buf); n <= 0 || err != nil {
			return answer
		}
		answer = append(answer, buf[:n]...)
	}
	return answer
}
