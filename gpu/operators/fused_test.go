//go:build sim

package operators_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gsql"
	"gsql/exec"
	"gsql/exec/op"
	"gsql/gpu/operators"
	"gsql/internal/inside"
	"gsql/internal/mem"
	"gsql/internal/sqltest"
	"gsql/planner/physical"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
	"gsql/storage"
)

// pipelinesOf returns the plan of a query as pipelines of the device, and the CPU's plan. Estimates are
// one row.
func pipelinesOf(t *testing.T, s *gsql.Session, sql string) (pipelines, home *physical.Node) {
	t.Helper()
	rows, err := s.Query(context.Background(), sql)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	home = inside.Plan(rows)
	below := moved(home)
	return &physical.Node{Op: &physical.Pipelines{}, In: []*physical.Node{below}, Cols: below.Cols, Device: device}, home
}

func moved(n *physical.Node) *physical.Node {
	c := *n
	c.Device, c.In, c.Est.Rows = device, nil, 1
	for _, in := range n.In {
		c.In = append(c.In, moved(in))
	}
	return &c
}

// opened runs an operator of several streams, and returns its rows in ascending order.
func opened(ctx *op.Ctx, o op.Operator) (lines []string, err error) {
	if err := o.Open(ctx); err != nil {
		return nil, err
	}
	var streams []op.Stream
	for range 3 {
		s, err := o.Stream()
		if err != nil {
			return nil, err
		}
		streams = append(streams, s)
	}
	for i := 0; len(streams) > 0; i++ {
		s := streams[i%len(streams)]
		b, err := s.Next()
		if err != nil {
			return nil, err
		}
		if b == nil {
			if err := s.Close(); err != nil {
				return nil, err
			}
			streams = slices.DeleteFunc(streams, func(x op.Stream) bool { return x == s })
			continue
		}
		for r := range b.N {
			lines = append(lines, sqltest.Line(b, r))
		}
	}
	slices.Sort(lines)
	return lines, nil
}

// values makes a table v with n rows whose keys are far apart.
func values(t *testing.T, n int) *gsql.Session {
	t.Helper()
	db, err := gsql.Open(gsql.Config{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	s := db.NewSession()
	t.Cleanup(func() { s.Close(); db.Close() })
	var rows []string
	for i := range n {
		rows = append(rows, fmt.Sprintf("(%d,%d.25,'text %d')", i*1_000_003, i%97, i%50))
	}
	for _, sql := range []string{"CREATE TABLE v (k BIGINT NOT NULL, p DECIMAL(9,2), c VARCHAR(20))", "INSERT INTO v VALUES " + strings.Join(rows, ",")} {
		if _, _, err := s.Exec(context.Background(), sql); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// TestPipelinesAreKept runs plans several times whose results and groups are many more than estimated:
// the second execution has the program with which the first one ended.
func TestPipelinesAreKept(t *testing.T) {
	s := values(t, 5000)
	for _, sql := range []string{
		"SELECT k, p, c FROM v WHERE p < 90",
		"SELECT k, SUM(p) FROM v GROUP BY k",
		"SELECT c, COUNT(*), AVG(p), MAX(k) FROM v WHERE k > 10 GROUP BY c",
	} {
		n, home := pipelinesOf(t, s, sql)
		reg := exec.DefaultRegistry()
		operators.Register(reg, operators.Config{Cacheable: storage.IsVersion})
		build := func(n *physical.Node) op.Operator {
			o, err := exec.Build(n, reg)
			if err != nil {
				t.Fatal(err)
			}
			return o
		}
		account := mem.NewRoot("test", 0)
		ctx := &op.Ctx{Context: context.Background(), Mem: account, Workers: 2, BatchSize: 300,
			FellBack: func(operator string, cause error) error { return cause }}
		cpu := build(home)
		want, err := opened(&op.Ctx{Context: ctx, Mem: mem.NewRoot("test", 0), Workers: 1}, &shared{Operator: cpu})
		if err != nil {
			t.Fatal(err)
		}
		var first any
		for i := range 3 {
			o := build(n)
			got, err := opened(ctx, o)
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("%s: %d rows %v, error %v, want %d %v", sql, len(got), got[:min(len(got), 9)], err, len(want), want[:9])
			}
			p := operators.Program(o)
			if i == 0 {
				first = p
			}
			if p == nil || p != first {
				t.Errorf("%s: execution %d has another program", sql, i)
			}
			if err := o.Close(); err != nil || account.Used() != 0 {
				t.Errorf("%d bytes are still held, error %v", account.Used(), err)
			}
		}
		if err := cpu.Close(); err != nil {
			t.Error(err)
		}
	}
}

// shared gives all streams of an operator that may have only one.
type shared struct {
	op.Operator
	made bool
}

// Stream implements op.Operator.
func (s *shared) Stream() (op.Stream, error) {
	if s.made {
		return none{}, nil
	}
	s.made = true
	return s.Operator.Stream()
}

// none is a stream without rows.
type none struct{}

func (none) Next() (*vec.Batch, error) { return nil, nil }
func (none) Close() error              { return nil }

// TestPipelinesFallBack lets an operator run on the CPU because the query has too little memory for
// the rows, unless falling back is not allowed.
func TestPipelinesFallBack(t *testing.T) {
	s := values(t, 5000)
	n, _ := pipelinesOf(t, s, "SELECT k + 1, -p, p * 2, k * 3 FROM v WHERE p < 90")
	for _, allowed := range []bool{true, false} {
		reg := exec.DefaultRegistry()
		operators.Register(reg, operators.Config{Cacheable: storage.IsVersion})
		var cause error
		account := mem.NewRoot("test", 40<<10)
		ctx := &op.Ctx{Context: context.Background(), Mem: account, Workers: 1, FellBack: func(_ string, why error) error {
			if cause = why; allowed {
				return nil
			}
			return why
		}}
		o, err := exec.Build(n, reg)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := opened(ctx, &shared{Operator: o})
		if allowed && (err != nil || len(rows) == 0) || !allowed && !errors.Is(err, sqlerr.OutOfMemory) || !errors.Is(cause, sqlerr.OutOfMemory) {
			t.Errorf("%d rows, error %v, cause %v", len(rows), err, cause)
		}
		if err := o.Close(); err != nil || account.Used() != 0 {
			t.Errorf("%d bytes are still held, error %v", account.Used(), err)
		}
	}
}

// TestOutOfRangeIsKept expects the CPU's error for a value out of range, whether falling back is allowed or not.
// The device computes it but once: each computation would keep another program.
func TestOutOfRangeIsKept(t *testing.T) {
	s := values(t, 5000)
	n, _ := pipelinesOf(t, s, "SELECT k * k FROM v WHERE p < 90")
	reg := exec.DefaultRegistry()
	operators.Register(reg, operators.Config{Cacheable: storage.IsVersion})
	var first any
	for i, allowed := range []bool{true, false, true} {
		account, causes := mem.NewRoot("test", 0), 0
		ctx := &op.Ctx{Context: context.Background(), Mem: account, Workers: 1, FellBack: func(_ string, why error) error {
			if causes++; allowed {
				return nil
			}
			return why
		}}
		o, err := exec.Build(n, reg)
		if err != nil {
			t.Fatal(err)
		}
		if rows, err := opened(ctx, &shared{Operator: o}); !errors.Is(err, sqlerr.DataOutOfRange) || causes != 1 {
			t.Errorf("run %d: %d rows, error %v, fell back %d times", i, len(rows), err, causes)
		}
		p := operators.Program(o)
		if i == 0 {
			first = p
		}
		if p == nil || p != first {
			t.Errorf("run %d has another program", i)
		}
		if err := o.Close(); err != nil || account.Used() != 0 {
			t.Errorf("%d bytes are still held, error %v", account.Used(), err)
		}
	}
}
