package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// report is what the program writes.
type report struct {
	Date    string     `json:"date"`
	Machine string     `json:"machine"`
	Cores   int        `json:"cores"`
	Go      string     `json:"go"`
	Runs    int        `json:"runs"`
	Notes   []string   `json:"notes,omitempty"`
	Cases   []measured `json:"cases"`
}

func newReport(runs int) *report {
	return &report{Date: time.Now().UTC().Format("2006-01-02"), Machine: processor(), Cores: runtime.NumCPU(), Go: runtime.Version(), Runs: runs}
}

// processor gives the CPU's model name.
func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	for _, line := range strings.Split(string(text), "\n") {
		if name, ok := strings.CutPrefix(line, "model name"); ok {
			return strings.TrimLeft(name, "\t :")
		}
	}
	return runtime.GOARCH
}

func (r *report) write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "cpu.json"), append(text, '\n'), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "cpu.md"), []byte(r.markdown()), 0o644)
}

func (r *report) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# gsql on the CPU\n\n%s, %d cores, %s, %s; medians of %d runs after one warm-up.\n\n", r.Machine, r.Cores, r.Go, r.Date, r.Runs)
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "%s\n\n", n)
	}
	b.WriteString("| case | median ms | min .. max | M rows/s | MB/s | Go heap MB |\n| --- | ---: | ---: | ---: | ---: | ---: |\n")
	for _, c := range r.Cases {
		mb := ""
		if c.MBPerSec > 0 {
			mb = fmt.Sprintf("%.0f", c.MBPerSec)
		}
		fmt.Fprintf(&b, "| %s | %.1f | %.1f .. %.1f | %.1f | %s | %.1f |\n", c.Name, c.MedianMS, c.MinMS, c.MaxMS, c.RowsPerSec/1e6, mb, c.AllocMB)
	}
	b.WriteString("\nThe statements stand in cpu.json.\n")
	return b.String()
}
