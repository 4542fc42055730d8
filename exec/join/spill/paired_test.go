package spill_test

import (
	"context"
	"testing"

	"gsql/exec/join/input"
	"gsql/exec/join/match"
	"gsql/exec/join/spill"
	"gsql/exec/op"
	"gsql/internal/mem"
)

// hungry is a Pairer that takes memory for each pair of sides, and more unless these are the same.
type hungry struct {
	acct  *mem.Account
	bytes int64
}

func (h *hungry) Build(_ *op.Ctx, acct *mem.Account, left, right *match.Side) error {
	h.acct, h.bytes = acct, 100
	if left != right {
		h.bytes = 1000
	}
	err := acct.Reserve(h.bytes)
	if err != nil {
		h.bytes = 0
	}
	return err
}

func (h *hungry) Worker() match.PairWorker { return h }

func (h *hungry) Next(int) (match.Pairs, bool, error) {
	return match.Pairs{Probe: []int32{0}, Build: []int32{0}}, true, nil
}

func (h *hungry) Close() { h.acct.Release(h.bytes); h.bytes = 0 }

// TestRoundsOfOneRow pairs a row that takes more memory than the trial over left rows did.
func TestRoundsOfOneRow(t *testing.T) {
	acct := mem.NewRoot("query", 4<<10)
	ctx := &op.Ctx{Context: context.Background(), Mem: acct, Workers: 1, BatchSize: 7}
	m := &spill.PairerMatcher{Spec: &input.Spec{}, Make: func() match.Pairer { return &hungry{} }}
	if err := m.Build(ctx, acct, &match.Side{Rows: 1}); err != nil {
		t.Fatal(err)
	}
	p, rows, err := m.BufferedProber(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Probe(&match.Side{Rows: 1}); err != nil {
		t.Fatal(err)
	}
	found, done, err := p.Next(10)
	if err != nil || !done || len(found.Probe) != 1 {
		t.Errorf("%v, %v, %v", found, done, err)
	}
	rows.Close()
	m.Close()
	if acct.Used() != 0 {
		t.Errorf("%d bytes are held", acct.Used())
	}
}
