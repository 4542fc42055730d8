// Package cputime reports the processor time that the process has used.
package cputime

import (
	"time"

	"golang.org/x/sys/windows"
)

// Used returns the time that the process has run so far on all cores, in user and kernel mode.
func Used() time.Duration {
	var created, exited, kernel, user windows.Filetime
	_ = windows.GetProcessTimes(windows.CurrentProcess(), &created, &exited, &kernel, &user) // fails for invalid arguments only
	return time.Duration(ticks(kernel) + ticks(user))
}

// ticks returns the nanoseconds of a duration: Filetime.Nanoseconds is about points in time.
func ticks(t windows.Filetime) int64 {
	return 100 * (int64(t.HighDateTime)<<32 | int64(t.LowDateTime))
}
