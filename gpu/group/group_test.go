//go:build sim || cuda

package group

import (
	"errors"
	"slices"
	"testing"
	"time"

	"gsql/gpu"
	"gsql/gpu/enginetest"
)

var counts = []int{1, 2, 4, 8}

func begin(t *testing.T, n int) *Group {
	t.Helper()
	g, err := Begin(t.Context(), enginetest.NewAll(t, n, 1<<20), "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.End(); err != nil {
			t.Error(err)
		}
	})
	return g
}

// TestShare: members meet several times, and each learns what all have brought.
func TestShare(t *testing.T) {
	for _, n := range counts {
		t.Run("", func(t *testing.T) {
			g := begin(t, n)
			for range 2 {
				err := g.Run(func(m *Member) error {
					for round := range 3 {
						got, err := Share(m, 10*round+m.Number)
						if err != nil {
							return err
						}
						for i, v := range got {
							if v != 10*round+i {
								t.Errorf("round %d: member %d brought %d", round, i, v)
							}
						}
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestFailureEndsMeetings: members that wait for one that failed return, and only its error remains.
func TestFailureEndsMeetings(t *testing.T) {
	g := begin(t, 4)
	bad := errors.New("bad")
	for _, failing := range []func() error{func() error { return bad }, func() error { panic("a defect") }} {
		err := g.Run(func(m *Member) error {
			if m.Number == 2 {
				return failing()
			}
			_, err := Share(m, 0)
			return err
		})
		if err == nil || errors.Is(err, errOther) {
			t.Errorf("error %v", err)
		}
	}
	if err := g.Run(func(m *Member) error { _, err := Share(m, 0); return err }); err != nil {
		t.Errorf("after the failure: %v", err)
	}
}

// TestFetch passes a byte from each member to its neighbour.
func TestFetch(t *testing.T) {
	for _, n := range counts[1:] {
		t.Run("", func(t *testing.T) {
			const size = 1000
			g := begin(t, n)
			type offer struct {
				device gpu.Device
				at     gpu.Ptr
				filled Point
			}
			got := make([]byte, n)
			err := g.Run(func(m *Member) error {
				at, err := m.Alloc(2 * size)
				if err != nil {
					return err
				}
				if err := m.Fill(at, byte(m.Number+1), size); err != nil {
					return err
				}
				filled, err := m.Record(m.Compute)
				if err != nil {
					return err
				}
				offers, err := Share(m, offer{m.Device, at, filled})
				if err != nil {
					return err
				}
				from := offers[(m.Number+1)%n]
				if err := m.After(m.Copy, from.filled); err != nil {
					return err
				}
				if err := m.Fetch(at+size, from.device, from.at, size); err != nil {
					return err
				}
				copied, err := m.Record(m.Copy)
				if err != nil {
					return err
				}
				if err := m.After(m.Compute, copied); err != nil {
					return err
				}
				var raw [1]byte
				err = m.Read(raw[:], at+2*size-1)
				got[m.Number] = raw[0]
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			want := make([]byte, n)
			for i := range want {
				want[i] = byte((i+1)%n + 1)
			}
			if !slices.Equal(got, want) || g.Members[0].Received != size {
				t.Errorf("members have %v, want %v; the first received %d bytes", got, want, g.Members[0].Received)
			}
		})
	}
}

// TestGroupsDoNotDeadlock: groups of the same devices in different orders take turns.
func TestGroupsDoNotDeadlock(t *testing.T) {
	engines := enginetest.NewAll(t, 2, 1<<20)
	turned := slices.Clone(engines)
	slices.Reverse(turned)
	done := make(chan error)
	for i := range 8 {
		go func() {
			order := engines
			if i%2 == 1 {
				order = turned
			}
			var errs []error
			for range 20 {
				g, err := Begin(t.Context(), order, "test")
				if err == nil {
					err = errors.Join(g.Run(func(m *Member) error { _, err := Share(m, i); return err }), g.End())
				}
				errs = append(errs, err)
			}
			done <- errors.Join(errs...)
		}()
	}
	for range 8 {
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(time.Minute):
			t.Fatal("groups wait for each other")
		}
	}
}
