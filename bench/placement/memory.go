package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"gsql"
	"gsql/bench/fill"
	"gsql/internal/machine"
)

// joined are the tables of a join that is measured with less and less device memory: a build side of unique keys,
// and a probe side in which each row has one of them. Both have keys and values of 4 bytes.
type joined struct {
	build, probe int64 // rows
}

// mostShift is the most rows of a table of that join as a power of 2.
const mostShift = 31

// parseJoined reads "26x28", the logarithms of both numbers of rows.
func parseJoined(text string) (j joined, err error) {
	var build, probe int
	if n, _ := fmt.Sscanf(text, "%dx%d", &build, &probe); n != 2 || build < 10 || probe < 10 || build > mostShift || probe > mostShift {
		return j, fmt.Errorf("-memory %s: want two logarithms from 10 to %d, such as 26x28", text, mostShift)
	}
	return joined{1 << build, 1 << probe}, nil
}

// fill makes the tables mr and ms.
func (j joined) fill(s *gsql.Session) error {
	key := func(i int64) int64 { return int64(int32(sparse(i))) }
	value := func(i int64) int64 { return random(31, i, 1<<30) }
	const columns = "k INT NOT NULL, x INT NOT NULL"
	if err := fill.Table(s, "mr", columns, j.build, fill.Ints(key), fill.Ints(value)); err != nil {
		return err
	}
	err := fill.Table(s, "ms", columns, j.probe, fill.Ints(func(i int64) int64 { return key(random(32, i, j.build)) }), fill.Ints(value))
	runtime.GC()
	return err
}

// inputs returns the bytes of the columns that a query reads.
func (j joined) inputs(columnsOfBuild int64) int64 { return 4*columnsOfBuild*j.build + 8*j.probe }

// memoryQueries are joins that read the key and the value of the probe side, and one or two columns of the
// build side.
var memoryQueries = []struct {
	query
	columns int64
}{
	{query{"key", "SELECT COUNT(*), SUM(ms.x) FROM mr JOIN ms ON mr.k = ms.k"}, 1},
	{query{"value", "SELECT COUNT(*), SUM(ms.x), SUM(mr.x) FROM mr JOIN ms ON mr.k = ms.k"}, 2},
	{query{"groups", "SELECT ms.x % 1000 AS g, COUNT(*), SUM(mr.x) FROM mr JOIN ms ON mr.k = ms.k GROUP BY g"}, 2},
}

// shares are the device's memory as multiples of a query's inputs; 0 is all that there is.
var shares = []float64{0, 4, 2, 1.1, 0.9, 0.5, 0.25}

// memory measures the joins with each limit: the first run, when nothing is on the device, and the median of
// later ones.
func (r *report) memory(db *sql.DB, j joined, out string) error {
	ctx := context.Background()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	var b strings.Builder
	fmt.Fprintf(&b, "# A join with ever less device memory\n\n%s, %d cores, %s, %s. %d x %d rows of 4-byte keys and values in tables of the host. `memory` is "+
		"gsql_gpu_memory_limit as a multiple of the columns that the query reads; `first` is a run with nothing on the device, `warm` the median of %d later ones. "+
		"GB/s are the bytes of those columns over the time.\n\n| query | memory | first ms | warm ms | warm G tuples/s | first GB/s | warm GB/s | the device's part |\n|---|---:|---:|---:|---:|---:|---:|---|\n",
		machine.Processor(), runtime.NumCPU(), gpuName(), time.Now().UTC().Format(time.DateOnly), j.build, j.probe, r.runs)
	for _, q := range memoryQueries {
		if !r.only.MatchString(q.name) {
			continue
		}
		if _, err := conn.ExecContext(ctx, "SET gsql_device = cpu"); err != nil {
			return err
		}
		want, err := rowsOf(ctx, conn, q.sql)
		if err != nil {
			return err
		}
		for _, share := range shares {
			line, err := r.withMemory(ctx, conn, q.query, j, q.columns, share, want)
			if err != nil {
				return fmt.Errorf("%s, memory %g: %w", q.name, share, err)
			}
			fmt.Print(line)
			b.WriteString(line)
		}
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, "memory.md"), []byte(b.String()), 0o644)
}

// withMemory measures a query with a share of its inputs as the limit.
func (r *report) withMemory(ctx context.Context, conn *sql.Conn, q query, j joined, columns int64, share float64, want []string) (string, error) {
	bytes := float64(j.inputs(columns))
	// Another limit first, as only a change drops the cached columns.
	for _, set := range []string{"gsql_device = '" + r.device + "'", "gsql_gpu_memory_limit = 100000000", fmt.Sprintf("gsql_gpu_memory_limit = %d", int64(share*bytes))} {
		if _, err := conn.ExecContext(ctx, "SET "+set); err != nil {
			return "", err
		}
	}
	var times []float64
	for range r.runs + 1 {
		begin := time.Now()
		if err := drain(ctx, conn, q.sql); err != nil {
			return "", err
		}
		times = append(times, float64(time.Since(begin).Microseconds())/1e3)
	}
	got, err := rowsOf(ctx, conn, q.sql)
	if err != nil {
		return "", err
	}
	plan, err := rowsOf(ctx, conn, "EXPLAIN ANALYZE "+q.sql)
	if err != nil {
		return "", err
	}
	first, warm := times[0], slices.Sorted(slices.Values(times[1:]))[(len(times)-1)/2]
	memory := "all"
	if share > 0 {
		memory = fmt.Sprint(share)
	}
	return fmt.Sprintf("| %s | %s | %.1f | %.1f | %.2f | %.1f | %.1f | %s %s |\n", q.name, memory, first, warm, float64(j.build+j.probe)/warm/1e6,
		bytes/first/1e6, bytes/warm/1e6, pipelinesIn(plan), difference(want, got)), nil
}

// pipelinesIn returns the line of a plan with what the device did, or how the CPU alone did the work.
func pipelinesIn(plan []string) string {
	at := slices.IndexFunc(plan, func(line string) bool { return strings.Contains(line, "Pipelines|") })
	if at < 0 {
		return "on the CPU"
	}
	return strings.ReplaceAll(plan[at], "|", "; ")
}
