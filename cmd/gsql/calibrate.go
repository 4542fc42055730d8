package main

import (
	"flag"
	"fmt"
	"io"
	"text/tabwriter"

	"gsql/internal/calibrate"
	"gsql/internal/profile"
)

const calibrateUsage = `usage: gsql calibrate [--out FILE]

Measures how fast this machine, and its GPU if there is one, does what queries
consist of, in less than half a minute, and writes the rates to a profile that
later processes compute their prices from. The machine should be idle.

  --out FILE     profile to write (%s)
  --device KIND  device to measure: gpu or sim (gpu)
`

// runCalibrate is the subcommand "gsql calibrate".
func runCalibrate(args []string, out, errw io.Writer) int {
	cmd := tool{"gsql calibrate", fmt.Sprintf(calibrateUsage, profile.Path()), out, errw}
	fs := flag.NewFlagSet("gsql calibrate", flag.ContinueOnError)
	path := fs.String("out", profile.Path(), "")
	device := fs.String("device", "gpu", "")
	operands, status, ok := cmd.parse(fs, args)
	switch {
	case !ok:
		return status
	case len(operands) > 0:
		return cmd.misuse("unexpected argument %q: this command takes none", operands[0])
	case *path == "":
		return cmd.misuse("there is no folder for profiles: name a file with --out")
	}
	ctx, watch := interruptible()
	defer watch.stop()
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "device\tmeasured\tpriced ms\ttook ms\t")
	p, err := calibrate.Run(ctx, *device, func(m calibrate.Measured) {
		fmt.Fprintf(w, "%s\t%s\t%.3f\t%.3f\t\n", m.Device, m.Name, m.Priced, m.Took)
	})
	w.Flush()
	if err == nil {
		err = p.Save(*path)
	}
	if err != nil {
		fmt.Fprintln(errw, "gsql calibrate:", err)
		return 1
	}
	fmt.Fprintln(out, "written to", *path)
	return 0
}
