package suggest

import "testing"

func TestNearest(t *testing.T) {
	names := []string{"origin", "destination", "delay", "distance"}
	for in, want := range map[string]string{
		"orgin": "origin", "DELYA": "delay", "distnce": "distance", "zzz": "", "destinatoin": "destination", "": "",
	} {
		if got := Nearest(in, names); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", in, got, want)
		}
	}
}
