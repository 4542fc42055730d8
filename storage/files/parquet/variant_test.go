package parquet

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"gsql/storage/files/format"
	"gsql/storage/files/nested"
)

// names are the metadata of variants with the names "a", "bc" and "".
const names = "\x01\x03\x00\x01\x03\x03abc"

// TestVariantValues writes values of each type as JSON. Their bytes were put together by hand from
// the specification of the format.
func TestVariantValues(t *testing.T) {
	for _, c := range []struct{ name, data, want string }{
		{"null", "\x00", "null"},
		{"true", "\x04", "true"},
		{"false", "\x08", "false"},
		{"int8", "\x0c\xfb", "-5"},
		{"int16", "\x10\x00\x80", "-32768"},
		{"int32", "\x14\xff\xff\xff\x7f", "2147483647"},
		{"int64", "\x18\x00\x00\x00\x00\x00\x00\x00\x80", "-9223372036854775808"},
		{"double", "\x1c\x00\x00\x00\x00\x00\x00\xf8\x3f", "1.5"},
		{"whole double", "\x1c\x00\x00\x00\x00\x00\x00\x00\x40", "2.0"},
		{"NaN", "\x1c\x00\x00\x00\x00\x00\x00\xf8\x7f", "null"},
		{"decimal of 4 bytes", "\x20\x02\x85\xff\xff\xff", "-1.23"},
		{"decimal of 8 bytes", "\x24\x00\x15\xcd\x5b\x07\x00\x00\x00\x00", "123456789"},
		{"decimal of 16 bytes", "\x28\x01" + strings.Repeat("\xff", 16), "-0.1"},
		{"date", "\x2c\x01\x00\x00\x00", `"1970-01-02"`},
		{"timestamp", "\x30\xff\xff\xff\xff\xff\xff\xff\xff", `"1969-12-31 23:59:59.999999"`},
		{"local timestamp", "\x34\x40\x42\x0f\x00\x00\x00\x00\x00", `"1970-01-01 00:00:01.000000"`},
		{"float", "\x38\x00\x00\x20\xc0", "-2.5"},
		{"bytes", "\x3c\x02\x00\x00\x00\x00\xff", `"AP8="`},
		{"text", "\x40\x03\x00\x00\x00x\"y", `"x\"y"`},
		{"time", "\x44\x40\x42\x0f\x00\x00\x00\x00\x00", `"00:00:01.000000"`},
		{"timestamp of nanoseconds", "\x48\xff\xff\xff\xff\xff\xff\xff\xff", `"1969-12-31 23:59:59.999999"`},
		{"local timestamp of nanoseconds", "\x4c\xe8\x03\x00\x00\x00\x00\x00\x00", `"1970-01-01 00:00:00.000001"`},
		{"UUID", "\x50\x55\x0e\x84\x00\xe2\x9b\x41\xd4\xa7\x16\x44\x66\x55\x44\x00\x00", `"550e8400-e29b-41d4-a716-446655440000"`},
		{"short text", "\x09\xc3\xa4", `"ä"`},
		{"object", "\x02\x02\x01\x00\x00\x02\x04\x0c\x07\x0c\x08", `{"a": 8, "bc": 7}`},
		{"object with values in another order", "\x02\x02\x00\x01\x02\x00\x04\x0c\x07\x0c\x08", `{"a": 8, "bc": 7}`},
		{"large object", "\x42\x01\x00\x00\x00\x02\x00\x01\x00", `{"": null}`},
		{"array", "\x03\x03\x00\x01\x03\x04\x00\x0c\x01\x04", "[null, 1, true]"},
		{"large array of wide offsets", "\x17\x01\x00\x00\x00\x00\x00\x01\x00\x04", "[true]"},
	} {
		n, err := readVariantNames(names)
		if err != nil {
			t.Fatal(err)
		}
		got, err := (&variantReader{names: n}).appendValue(nil, c.data)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %s, %v; want %s", c.name, got, err, c.want)
		}
		for cut := range len(c.data) {
			if _, err := (&variantReader{names: n}).appendValue(nil, c.data[:cut]); err == nil {
				t.Errorf("%s is read without its last %d bytes", c.name, len(c.data)-cut)
			}
		}
	}
}

// TestMalformedVariants reads values that share bytes, which could take exponential time, contain
// themselves, or have unknown types, names or versions.
func TestMalformedVariants(t *testing.T) {
	n, err := readVariantNames(names)
	if err != nil {
		t.Fatal(err)
	}
	shared := "\x00"
	for range 60 { // an array of two values, both of them the array below
		shared = "\x0f\x02" + strings.Repeat("\x00\x00\x00\x00", 2) + "\xff\x00\x00\x00" + shared
	}
	for name, data := range map[string]string{
		"shared values": shared, "an unknown type": "\x54", "an unknown name": "\x02\x01\x03\x00\x01\x00", "a value outside": "\x03\x01\x09\x0a\x00",
		"a deep array": strings.Repeat("\x03\x01\x00\xff", 200) + "\x00", "a scale above 38": "\x20\x27\x00\x00\x00\x00", "nothing": "",
	} {
		if _, err := (&variantReader{names: n}).appendValue(nil, data); !isFault(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, data := range []string{"", "\x01", "\x02\x00\x00", "\x01\xff\x00", "\xc1\xff\xff\xff\xff"} {
		if _, err := readVariantNames(data); !isFault(err) {
			t.Errorf("the metadata %q: %v", data, err)
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		data := make([]byte, 1+r.IntN(40))
		for i := range data {
			data[i] = byte(r.Uint32()) >> r.IntN(8)
		}
		if _, err := (&variantReader{names: n}).appendValue(nil, string(data)); err != nil && !isFault(err) && !errors.Is(err, nested.ErrLong) {
			t.Fatalf("%q: %v", data, err)
		}
	}
}

func isFault(err error) bool {
	var f format.Fault
	return errors.As(err, &f)
}
