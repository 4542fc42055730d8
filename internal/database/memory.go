package database

import (
	"os"
	"strings"

	"gsql/internal/mem"
)

// machineMemory returns the bytes of memory that this process may use: the machine's, or its
// control group's if that is less.
func machineMemory() int64 {
	total := int64(8) << 30
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		fields := strings.Fields(string(text))
		if len(fields) > 1 {
			if kb, err := mem.ParseSize(fields[1] + "kb"); err == nil {
				total = kb
			}
		}
	}
	if text, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		if n, err := mem.ParseSize(strings.TrimSpace(string(text))); err == nil && n > 0 {
			total = min(total, n)
		}
	}
	return total
}
