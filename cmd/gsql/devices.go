package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"text/tabwriter"

	"gsql/gpu"
	"gsql/internal/mem"
	"gsql/internal/profile"
)

const devicesUsage = `usage: gsql devices

Lists the processors and GPUs that queries may use, how GPUs reach each other,
why there is no GPU, and where the rates are from that the planner computes prices from.
`

// runDevices is the subcommand "gsql devices".
func runDevices(args []string, out, errw io.Writer) int {
	if status, ok := (tool{"gsql devices", devicesUsage, out, errw}).parseNone(args); !ok {
		return status
	}
	return listDevices(out, errw)
}

// listDevices writes a line for each device, and for each kind of device that is missing the
// reason.
func listDevices(out, errw io.Writer) int {
	devices, reasons := gpu.Devices()
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "cpu\t%s, %s\n", plural(int64(runtime.NumCPU()), "core"), hostMemory())
	status := 0
	for _, d := range devices {
		info, err := d.Info()
		if err != nil {
			fmt.Fprintln(errw, "gsql:", err)
			status = 1
			continue
		}
		fmt.Fprintf(w, "%s\t%s\n", d.Name(), describe(info))
	}
	if err := listLinks(w, devices); err != nil {
		fmt.Fprintln(errw, "gsql:", err)
		status = 1
	}
	w.Flush()
	for _, reason := range reasons {
		fmt.Fprintln(out, "no GPU:", reason)
	}
	fmt.Fprintln(out, "rates of the planner:", profile.Source())
	return status
}

// listLinks writes how each device reaches the others of the machine.
func listLinks(w io.Writer, devices []gpu.Device) error {
	for _, to := range devices {
		var links []string
		for _, from := range devices {
			if from == to {
				continue
			}
			link, err := to.Link(from)
			if err != nil {
				return err
			}
			text := from.Name() + " by " + link.Kind
			if !link.Direct {
				text += " through host memory"
			}
			links = append(links, text)
		}
		if len(links) > 0 {
			fmt.Fprintf(w, "%s\treaches %s\n", to.Name(), strings.Join(links, ", "))
		}
	}
	return nil
}

// describe returns a one-line description of a device.
func describe(i gpu.Info) string {
	parts := []string{i.Name, plural(int64(i.SMs), "SM")}
	if i.Capability > 0 {
		parts = append(parts, fmt.Sprintf("compute %d.%d", i.Capability/10, i.Capability%10))
	}
	parts = append(parts, fmt.Sprintf("%s memory, %s free", mem.Size(i.Memory), mem.Size(i.Free)))
	if i.L2 > 0 {
		parts = append(parts, mem.Size(i.L2)+" L2")
	}
	for _, s := range []string{i.Link, i.Driver} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, ", ")
}

// hostMemory returns the machine's memory as Linux reports it.
func hostMemory() string {
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return "memory unknown"
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		words := strings.Fields(lines.Text())
		if len(words) >= 2 && words[0] == "MemTotal:" {
			if kb, err := strconv.ParseInt(words[1], 10, 64); err == nil {
				return mem.Size(kb<<10) + " memory"
			}
		}
	}
	return "memory unknown"
}
