// Package machine describes the machine that measurements were taken on.
package machine

import (
	"os"
	"runtime"
	"strings"
)

// Processor returns the CPU's model name, or the architecture if the system does not report it.
func Processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "model name"); ok {
			return strings.Trim(name, "\t\n :")
		}
	}
	return runtime.GOARCH
}

// Load returns the load averages of the last 1, 5 and 15 minutes, or "" if the system does not
// report them.
func Load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	return strings.Join(strings.Fields(string(text))[:3], " ")
}
