//go:build cuda

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"time"

	"gsql"
	"gsql/gpu"
)

// firstTimes are milliseconds that a process spends.
type firstTimes struct {
	Driver        float64 // on starting the driver and a device, if nothing else is measured
	Fill          float64 // on filling the tables, while the driver starts
	First, Second float64 // on its first two queries
}

// firstQueries measures how much longer the first query of a process takes than the second. The
// driver's cache of compiled kernels is off, as if the process were the first one of the machine.
func firstQueries(b *bench) error {
	for _, work := range []string{driverOnly, "HASH_JOIN", "RADIX_JOIN", "MERGE_JOIN"} {
		var times []firstTimes
		for range 5 {
			cmd := exec.Command(os.Args[0], "-first", work)
			cmd.Env, cmd.Stderr = append(os.Environ(), "CUDA_CACHE_DISABLE=1"), os.Stderr
			text, err := cmd.Output()
			var t firstTimes
			if err == nil {
				err = json.Unmarshal(text, &t)
			}
			if err != nil {
				return err
			}
			times = append(times, t)
		}
		slices.SortFunc(times, func(x, y firstTimes) int { return int(1000 * (x.wait() - y.wait())) })
		t := times[len(times)/2]
		if work == driverOnly {
			b.add("driver and context of a process", t.Driver, 0, "", 0, line{})
			continue
		}
		b.add("a process's first query over its second, "+work, t.wait(), 0, "", 0, line{Bar: -150,
			Note: fmt.Sprintf("first query %.0f ms, second %.1f ms; the tables were filled in %.0f ms", t.First, t.Second, t.Fill)})
	}
	return nil
}

func (t firstTimes) wait() float64 { return t.Driver + t.First - t.Second }

const driverOnly = "driver"

// printFirst prints firstTimes as JSON: of the driver, or of two queries on a GPU with a hint.
func printFirst(work string) (err error) {
	var times firstTimes
	if work == driverOnly {
		times.Driver, err = startDriver()
	} else {
		err = firstTwo(work, &times)
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(times)
}

func startDriver() (ms float64, err error) {
	begin := time.Now()
	devices, reasons := gpu.Devices()
	if len(devices) == 0 {
		return 0, fmt.Errorf("no GPU: %v", reasons)
	}
	_, err = devices[0].Info()
	return since(begin), err
}

func firstTwo(hint string, times *firstTimes) error {
	begin := time.Now()
	db, err := gsql.Open(gsql.Config{Variables: map[string]string{"gsql_device": "gpu", "gsql_on_fallback": "error"}})
	if err != nil {
		return err
	}
	defer db.Close()
	s := db.NewSession()
	defer s.Close()
	if _, _, err := s.Exec(context.Background(), "CREATE TABLE r (k INT); CREATE TABLE s (k INT, x INT)"); err != nil {
		return err
	}
	if err := appendInts(s, "r", 1<<22, sparse); err != nil {
		return err
	}
	if err := appendInts(s, "s", 1<<22, sparse, payload); err != nil {
		return err
	}
	times.Fill = since(begin)
	for _, t := range []*float64{&times.First, &times.Second} {
		begin := time.Now()
		rows, err := s.Query(context.Background(), "SELECT /*+ "+hint+"(s) */ SUM(s.x) FROM r JOIN s ON r.k = s.k")
		if err != nil {
			return err
		}
		for _, err := range rows.All() {
			if err != nil {
				return err
			}
		}
		*t = since(begin)
	}
	return nil
}

func since(begin time.Time) float64 { return float64(time.Since(begin).Microseconds()) / 1e3 }
