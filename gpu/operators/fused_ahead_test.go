//go:build sim

package operators_test

import (
	"context"
	"slices"
	"testing"

	"gsql/exec"
	"gsql/exec/op"
	"gsql/gpu/operators"
	"gsql/internal/mem"
	"gsql/storage"
)

// TestKernelsAhead compares the kernels that are compiled while columns are being loaded with those that run.
func TestKernelsAhead(t *testing.T) {
	for _, c := range []struct {
		sql     string
		foresee bool
	}{
		{"SELECT SUM(p) FROM v", true},
		{"SELECT k, SUM(p) FROM v GROUP BY k", true},
		{"SELECT COUNT(*), SUM(a.p) FROM v a JOIN v b ON a.k = b.k WHERE b.p > 3", true},
		{"SELECT c, SUM(p) FROM v GROUP BY c", false}, // the codes of texts are not known
	} {
		n, _ := pipelinesOf(t, values(t, 500), c.sql)
		reg := exec.DefaultRegistry()
		operators.Register(reg, operators.Config{Cacheable: storage.IsVersion})
		o, err := exec.Build(n, reg)
		if err != nil {
			t.Fatal(err)
		}
		account := mem.NewRoot("test", 0)
		ctx := &op.Ctx{Context: context.Background(), Mem: account, Workers: 2,
			FellBack: func(operator string, cause error) error { return cause }}
		ahead, err := operators.Foreseen(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := opened(ctx, o); err != nil {
			t.Fatal(err)
		}
		if ran := operators.Kernels(o); c.foresee && (len(ran) == 0 || !slices.Equal(ahead, ran)) || !c.foresee && ahead != nil {
			t.Errorf("%s: compiled ahead\n%q\nrun\n%q", c.sql, ahead, ran)
		}
		if again, err := operators.Foreseen(ctx, o); again != nil || err != nil {
			t.Errorf("%s: kernels are compiled ahead although all columns are on the device, error %v", c.sql, err)
		}
		if err := o.Close(); err != nil || account.Used() != 0 {
			t.Errorf("%d bytes are still held, error %v", account.Used(), err)
		}
	}
}
