package types

import "testing"

func TestParseDatetime(t *testing.T) {
	for _, c := range []struct {
		in, want  string
		clean, ok bool
	}{
		{"2020-01-31", "2020-01-31 00:00:00.000000", true, true},
		{"2020-1-5", "2020-01-05 00:00:00.000000", true, true},
		{" 2020/01/05 7:3 ", "2020-01-05 07:03:00.000000", true, true},
		{"2020-01-31 23:59:59.9999996", "2020-02-01 00:00:00.000000", true, true},
		{"20200131", "2020-01-31 00:00:00.000000", true, true},
		{"200131", "2020-01-31 00:00:00.000000", true, true},
		{"69-12-31", "2069-12-31 00:00:00.000000", true, true},
		{"70-01-01", "1970-01-01 00:00:00.000000", true, true},
		{"20200131T101112", "2020-01-31 10:11:12.000000", true, true},
		{"20200131101112.5", "2020-01-31 10:11:12.500000", true, true},
		{"2020^01@31 10*11*12", "2020-01-31 10:11:12.000000", true, true},
		{"2020-02-29", "2020-02-29 00:00:00.000000", true, true},
		{"2019-02-29", "", false, false},
		{"2020-13-01", "", false, false},
		{"0000-00-00", "", false, false},
		{"2020-01-31 24:00:00", "", false, false},
		{"2020-01", "", false, false},
		{"12", "", false, false},
		{"", "", false, false},
		{"abc", "", false, false},
		{"2020-01-31abc", "2020-01-31 00:00:00.000000", false, true},
		{"2020-01-31 10:11:12 x", "2020-01-31 10:11:12.000000", false, true},
	} {
		us, clean, ok := ParseDatetime(c.in)
		if clean != c.clean || ok != c.ok || ok && string(AppendDatetime(nil, us, 6)) != c.want {
			t.Errorf("ParseDatetime(%q) = %s %v %v, want %s %v %v", c.in, AppendDatetime(nil, us, 6), clean, ok, c.want, c.clean, c.ok)
		}
	}
}

func TestParseTime(t *testing.T) {
	for _, c := range []struct {
		in, want  string
		clean, ok bool
	}{
		{"10:11:12", "10:11:12.000000", true, true},
		{"10:11", "10:11:00.000000", true, true},
		{"-1:2:3.25", "-01:02:03.250000", true, true},
		{"1 1:1:1", "25:01:01.000000", true, true},
		{"101112", "10:11:12.000000", true, true},
		{"1112", "00:11:12.000000", true, true},
		{"12", "00:00:12.000000", true, true},
		{"2020-01-31 10:11:12", "10:11:12.000000", true, true},
		{"839:00:00", "838:59:59.000000", false, true},
		{"10:60:00", "", false, false},
		{"x", "", false, false},
		{"10:11x", "10:11:00.000000", false, true},
	} {
		us, clean, ok := ParseTime(c.in)
		if clean != c.clean || ok != c.ok || ok && string(AppendTime(nil, us, 6)) != c.want {
			t.Errorf("ParseTime(%q) = %s %v %v, want %s %v %v", c.in, AppendTime(nil, us, 6), clean, ok, c.want, c.clean, c.ok)
		}
	}
}

func TestNumberPrefixes(t *testing.T) {
	for _, c := range []struct {
		in    string
		f     float64
		clean bool
	}{
		{"12", 12, true}, {" -1.5e2 ", -150, true}, {".5", 0.5, true}, {"5.", 5, true}, {"1e", 1, false},
		{"12abc", 12, false}, {"abc", 0, false}, {"", 0, false}, {"-", 0, false}, {"0x1F", 0, false}, {"inf", 0, false},
	} {
		if f, clean := PrefixFloat(c.in); f != c.f || clean != c.clean {
			t.Errorf("PrefixFloat(%q) = %v %v, want %v %v", c.in, f, clean, c.f, c.clean)
		}
	}
	for _, c := range []struct {
		in         string
		u          uint64
		neg, clean bool
	}{
		{"12", 12, false, true}, {" -12 ", 12, true, true}, {"1.9", 1, false, false}, {"x", 0, false, false},
		{"18446744073709551615", 1<<64 - 1, false, true}, {"99999999999999999999", 1<<64 - 1, false, false},
	} {
		if u, neg, clean := PrefixInt(c.in); u != c.u || neg != c.neg || clean != c.clean {
			t.Errorf("PrefixInt(%q) = %v %v %v, want %v %v %v", c.in, u, neg, clean, c.u, c.neg, c.clean)
		}
	}
}

func TestParseDecimalLiteral(t *testing.T) {
	for _, c := range []struct {
		in   string
		want Type
		ok   bool
	}{
		{"12.50", Dec(4, 2), true}, {"0.05", Dec(2, 2), true}, {"007", Dec(1, 0), true}, {"0", Dec(1, 0), true}, {"0.0", Dec(1, 1), true}, {"-1.5", Dec(2, 1), true},
		{"1e5", Type{}, false}, {"1.2x", Type{}, false}, {"123456789012345678901234567890123456789", Type{}, false},
	} {
		n, got, ok := ParseDecimalLiteral(c.in)
		if ok != c.ok || ok && got != c.want {
			t.Errorf("ParseDecimalLiteral(%q) = %s %v, want %s %v", c.in, got, ok, c.want, c.ok)
		}
		if want := c.in; ok && c.in != "007" && string(AppendDecimal(nil, n, int(got.Scale))) != want {
			t.Errorf("%q reads as %s", c.in, AppendDecimal(nil, n, int(got.Scale)))
		}
	}
}

func FuzzParseTemporal(f *testing.F) {
	for _, s := range []string{"2020-01-31 10:11:12.5", "20200131T10", "-838:59:59", "1 2:3", "12.5.", "2020-1-"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		us, _, ok := ParseDatetime(s)
		if ok {
			text := string(AppendDatetime(nil, us, 6))
			if again, clean, ok := ParseDatetime(text); again != us || !clean || !ok {
				t.Errorf("%q reads as %s, which reads as %d %v %v", s, text, again, clean, ok)
			}
		}
		if us, _, ok := ParseTime(s); ok && (us > MaxTime+Second || us < -MaxTime-Second) {
			t.Errorf("%q reads as the time %d", s, us)
		}
	})
}
