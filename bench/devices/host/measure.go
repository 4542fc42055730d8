package main

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"gsql"
	"gsql/bench/fill"
	"gsql/bench/murmur"
)

// measuring is a database with the tables b, of unique keys, and p, each of whose rows has a key of b.
type measuring struct {
	*options
	s    *gsql.Session
	want string // the answer
}

const (
	columns  = "k BIGINT NOT NULL, x BIGINT NOT NULL"
	rowBytes = 16
	join     = "SELECT COUNT(*), SUM(b.x), SUM(p.x) FROM b JOIN p ON b.k = p.k"
)

// key returns the i-th unique key, value the value of a row, which takes more than 4 bytes; tables differ in salt.
func key(i int64) int64                { return int64(murmur.Mix64(uint64(i) + 1)) }
func value(salt uint64, i int64) int64 { return int64(murmur.Mix64(uint64(i)^salt<<40) >> 30) }

// partner returns the row of b whose key row i of p has.
func (m *measuring) partner(i int64, skew float64) int64 {
	random := murmur.Mix64(uint64(i) + 12345)
	if skew == 0 {
		return int64(random % uint64(m.rows))
	}
	return min(int64(fill.Zipf(float64(random>>11)/(1<<53), float64(m.rows), skew)), m.rows) - 1
}

func (m *measuring) fillBuild(ctx context.Context) error {
	return fill.Table(m.s, "b", columns, m.rows, fill.Ints(key), fill.Ints(func(i int64) int64 { return value(1, i) }))
}

// fillProbe makes p anew and computes the answer.
func (m *measuring) fillProbe(ctx context.Context, skew float64) error {
	if _, _, err := m.s.Exec(ctx, "DROP TABLE IF EXISTS p"); err != nil {
		return err
	}
	err := fill.Table(m.s, "p", columns, m.rows, fill.Ints(func(i int64) int64 { return key(m.partner(i, skew)) }),
		fill.Ints(func(i int64) int64 { return value(2, i) }))
	workers := int64(runtime.GOMAXPROCS(0))
	sums := make([][2]int64, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := m.rows * w / workers; i < m.rows*(w+1)/workers; i++ {
				sums[w][0] += value(1, m.partner(i, skew))
				sums[w][1] += value(2, i)
			}
		})
	}
	wg.Wait()
	var build, probe int64
	for _, s := range sums {
		build, probe = build+s[0], probe+s[1]
	}
	m.want = fmt.Sprintf("%d|%d|%d", m.rows, build, probe)
	runtime.GC()
	return err
}

// set returns the value of gsql_device for a number of devices.
func (m *measuring) set(n int) string {
	numbers := make([]string, n)
	for i := range numbers {
		numbers[i] = fmt.Sprint(i)
	}
	return m.kind + ":" + strings.Join(numbers, ",")
}

// exists reports whether the machine has so many devices.
func (m *measuring) exists(ctx context.Context, n int) bool {
	_, _, err := m.s.Exec(ctx, "SET gsql_device = '"+m.set(n)+"'")
	return err == nil
}

// measure measures the join on n devices whose memory together is the inputs' divided by size.
func (m *measuring) measure(ctx context.Context, n int, size float64) (l line, err error) {
	inputs := float64(2 * rowBytes * m.rows)
	l = line{Devices: n, Size: size, Limit: int64(inputs / size / float64(n))}
	var host, again []float64
	for range m.runs {
		if err := m.clear(ctx, n, l.Limit); err != nil {
			return l, err
		}
		ms, err := m.timed(ctx, &l)
		if err != nil {
			return l, err
		}
		host = append(host, ms)
	}
	for range m.runs {
		ms, err := m.timed(ctx, &l)
		if err != nil {
			return l, err
		}
		again = append(again, ms)
	}
	l.HostMS, l.AgainMS = median(host), median(again)
	l.GTuples, l.HostGBs = 2*float64(m.rows)/l.HostMS/1e6, inputs/l.HostMS/1e6
	l.AgainGTuples = 2 * float64(m.rows) / l.AgainMS / 1e6
	plan, err := m.texts(ctx, "EXPLAIN ANALYZE "+join)
	l.Plan = placed(plan)
	return l, err
}

// clear sets the devices and the limit, drops what is on them, and lets them run something, so that opening
// them and loading kernels is not measured.
func (m *measuring) clear(ctx context.Context, n int, limit int64) error {
	for _, set := range []string{"gsql_device = '" + m.set(n) + "'", fmt.Sprintf("gsql_gpu_memory_limit = %d", limit+1<<20), fmt.Sprintf("gsql_gpu_memory_limit = %d", limit)} {
		if _, _, err := m.s.Exec(ctx, "SET "+set); err != nil { // only a change of the limit drops columns
			return err
		}
	}
	_, err := m.texts(ctx, "SELECT COUNT(*), SUM(a.x) FROM (SELECT * FROM b LIMIT 1000) a JOIN (SELECT * FROM b LIMIT 1000) c ON a.k = c.k")
	return err
}

// timed runs the join, checks its answer, and returns the time in milliseconds.
func (m *measuring) timed(ctx context.Context, l *line) (float64, error) {
	begin := time.Now()
	got, err := m.texts(ctx, join)
	ms := time.Since(begin).Seconds() * 1e3
	if err != nil {
		return 0, err
	}
	if len(got) != 1 || got[0] != m.want {
		l.Wrong = fmt.Sprintf("%v, want %s", got, m.want)
	}
	for _, w := range m.s.Warnings() {
		l.Warning = fmt.Sprint(w)
	}
	return ms, nil
}

// texts returns the rows of a query.
func (m *measuring) texts(ctx context.Context, query string) (out []string, err error) {
	rows, err := m.s.Query(ctx, query)
	if err != nil {
		return nil, err
	}
	for row, err := range rows.All() {
		if err != nil {
			return nil, err
		}
		cells := make([]string, len(row))
		for i, c := range row {
			cells[i] = fmt.Sprint(c)
		}
		out = append(out, strings.Join(cells, "|"))
	}
	return out, rows.Close()
}

// placed returns the lines of an executed plan that tell where the join ran, how, and what the devices did.
func placed(plan []string) string {
	var lines []string
	for _, line := range plan {
		if strings.Contains(line, "Pipelines") || strings.Contains(line, "Join") || strings.Contains(line, "HashAggregate") {
			lines = append(lines, strings.TrimLeft(strings.ReplaceAll(line, "|", "; "), " └─├│"))
		}
	}
	return strings.Join(lines, " / ")
}

func median(of []float64) float64 {
	slices.Sort(of)
	if len(of)%2 == 0 {
		return math.Sqrt(of[len(of)/2-1] * of[len(of)/2])
	}
	return of[len(of)/2]
}
