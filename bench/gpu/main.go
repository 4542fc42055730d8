//go:build cuda

// Command gpu measures the kernels and the joins made of them on an NVIDIA GPU, as the
// engine runs them: the embedded kernels, launched from Go. run.sh builds and runs it.
//
//	gpu [-only regexp] [-runs n] [-cub cub.json] [-out bench/gpu/results]
//
// Every case checks its result on the CPU. A time is the median of 9 runs between two
// events on the device, after two runs that do not count; data is random and resides in
// device memory unless the case says otherwise.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"regexp"
	"strings"

	"gsql/gpu"
	_ "gsql/gpu/cuda" // registers the GPUs
	"gsql/gpu/engine"
)

func main() {
	flag.IntVar(&repeats, "runs", repeats, "runs of a case that count; with one there are no others, for a profiler")
	only := flag.String("only", "", "regular expression of the groups of cases to run")
	cub := flag.String("cub", "", "files with CUB's times (cub.cu) and those of other programs, separated by commas, for comparison")
	out := flag.String("out", "bench/gpu/results", "folder of the report")
	first := flag.String("first", "", "print the times of a process's first queries with this hint, and nothing else")
	flag.Parse()
	if *first != "" {
		if err := printFirst(*first); err != nil {
			log.Fatal(err)
		}
		return
	}
	if err := run(*only, *cub, *out); err != nil {
		log.Fatal(err)
	}
}

// groups are the groups of cases in the order of the report.
var groups = []struct {
	name string
	run  func(*bench) error
}{
	{"primitives", primitives},
	{"hash", hashJoins},
	{"theta forms", thetaForms},
	{"theta", thetaJoins},
	{"radix", radixJoins},
	{"merge", mergeJoins},
	{"sql", sqlJoins},
	{"first", firstQueries},
}

func run(only, cub, out string) error {
	match, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	devices, reasons := gpu.Devices()
	if len(devices) == 0 {
		return fmt.Errorf("no GPU: %v", reasons)
	}
	rival := map[string]float64{}
	for _, file := range strings.FieldsFunc(cub, func(r rune) bool { return r == ',' }) {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(text, &rival); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	e, err := engine.New(devices[0], 0)
	if err != nil {
		return err
	}
	defer e.Close()
	r, err := newReport(devices[0])
	if err != nil {
		return err
	}
	for _, g := range groups {
		if !match.MatchString(g.name) {
			continue
		}
		if err := measure(e, g.run, r, rival); err != nil {
			r.Failed = append(r.Failed, fmt.Sprintf("%s: %v", g.name, err))
			log.Printf("%s: %v", g.name, err)
		}
	}
	return r.write(out)
}
