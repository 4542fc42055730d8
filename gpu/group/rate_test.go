//go:build sim || cuda

package group

import (
	"testing"

	"gsql/gpu/enginetest"
)

// TestRate: a copy between devices takes some time, and its memory is freed, which enginetest checks.
func TestRate(t *testing.T) {
	devices := enginetest.Devices(t, 2)
	rate, err := Rate(devices[0], devices[1])
	if err != nil || rate < 1e6 || rate > 1e13 {
		t.Errorf("%g bytes a second, %v", rate, err)
	}
}
