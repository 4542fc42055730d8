package deviceset

import "testing"

// TestParse parses values and formats them again.
func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"auto": "auto", "CPU": "cpu", " gpu ": "gpu", "sim": "sim", "all": "gpu:all", "All": "gpu:all", "gpu:ALL": "gpu:all", "sim: all": "sim:all",
		"gpu:0": "gpu:0", "gpu:0,1": "gpu:0,1", "GPU: 3, 1 ,2": "gpu:3,1,2", "sim:7": "sim:7", "gpu:007": "gpu:7",
	} {
		s, ok := Parse(text)
		if !ok || s.String() != want {
			t.Errorf("%q is %q, %t, want %q", text, s, ok, want)
		}
		if again, ok := Parse(s.String()); !ok || again.String() != want {
			t.Errorf("%q is not parsed as itself", s)
		}
	}
	for _, text := range []string{"", "gp", "gpu:", "gpu:,", "gpu:0,", "gpu:0,0", "gpu:-1", "gpu:x", "gpu:0;1", "gpu:all,1", "cpu:0", "auto:all", "auto:0", ":0", "gpu:99999999", "gpu:0:1", "cuda:"} {
		if s, ok := Parse(text); ok {
			t.Errorf("%q is %q", text, s)
		}
	}
}
