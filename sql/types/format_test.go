package types

import (
	"testing"

	"github.com/apache/arrow/go/v17/arrow/decimal128"
)

func TestFormatAsMySQL(t *testing.T) {
	for _, c := range []struct {
		got  []byte
		want string
	}{
		{AppendFloat(nil, 1e20, 64), "1e20"},
		{AppendFloat(nil, 1.5e-20, 64), "1.5e-20"},
		{AppendFloat(nil, -1e15, 64), "-1e15"},
		{AppendFloat(nil, 0.1, 64), "0.1"},
		{AppendFloat(nil, float64(float32(0.1)), 32), "0.1"},
		{AppendFloat(nil, 100, 64), "100"},
		{AppendDecimal(nil, decimal128.FromI64(-5), 2), "-0.05"},
		{AppendDecimal(nil, decimal128.FromI64(12345), 2), "123.45"},
		{AppendDecimal(nil, decimal128.FromI64(0), 0), "0"},
		{AppendDecimal(nil, decimal128.New(0x4B3B4CA85A86C47A, 0x098A224000000000), 0), "100000000000000000000000000000000000000"},
		{AppendDate(nil, 0), "1970-01-01"},
		{AppendDate(nil, -1), "1969-12-31"},
		{AppendDatetime(nil, -1, 6), "1969-12-31 23:59:59.999999"},
		{AppendTime(nil, -(25*Hour + 3*Second), 0), "-25:00:03"},
	} {
		if string(c.got) != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
}
