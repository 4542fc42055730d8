package theme

import "testing"

// TestParse reads answers of terminals, in which keys that were typed are mixed.
func TestParse(t *testing.T) {
	const st, kind = "\x1b\\", "\x1b[?62;22c"
	for answer, want := range map[string]struct {
		light bool
		typed string
	}{
		"\x1b]11;rgb:0000/0000/0000" + st + kind:            {false, ""}, // xterm
		"\x1b]11;rgb:ffff/ffff/ffff\x07" + kind:             {true, ""},
		"\x1b]11;rgb:fd/f6/e3\x07" + kind:                   {true, ""},       // Solarized light, with two digits
		"\x1b]11;rgb:0000/2b2b/3636" + st + kind:            {false, ""},      // Solarized dark
		"SEL\x1b]11;rgb:eeee/eeee/eeee" + st + kind + "ECT": {true, "SELECT"}, // typed ahead
		"\x1b]11;rgba:ffff/ffff/ffff/ffff" + st + kind:      {true, ""},       // with opacity
		kind:                                     {false, ""}, // it does not know the question
		"":                                       {false, ""},
		"a\x1b[Bb":                               {false, "a\x1b[Bb"}, // an arrow key
		"\x1b]11;rgb:0000/ffff/0000" + st + kind: {true, ""},          // bright green
		"\x1b]11;rgb:0000/0000/ffff" + st + kind: {false, ""},
	} {
		light, typed := parse([]byte(answer))
		if light != want.light || string(typed) != want.typed {
			t.Errorf("%q: light %v, typed %q", answer, light, typed)
		}
	}
	for value, want := range map[string][2]bool{"15;0": {false, true}, "0;15": {true, true}, "0;default;7": {true, true}, "12;8": {false, true}, "": {}, "default": {}, "0;300": {}} {
		if light, ok := fromEnvironment(value); light != want[0] || ok != want[1] {
			t.Errorf("COLORFGBG=%s: %v, %v", value, light, ok)
		}
	}
}
