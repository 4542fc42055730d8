package arrowvec

import (
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// layout is an accepted Arrow type with values for Arrow's JSON reader, and the texts that MySQL
// shows for them, separated by |.
type layout struct {
	dt         arrow.DataType
	json, want string
}

// array returns the array and the type that it is read as.
func (l *layout) array(t *testing.T) (arrow.Array, types.Type) {
	t.Helper()
	arr, _, err := array.FromJSON(memory.DefaultAllocator, l.dt, strings.NewReader(l.json), array.WithUseNumber())
	if err != nil {
		t.Fatalf("%s: %v", l.dt, err)
	}
	typ, ok := types.FromArrow(l.dt)
	if !ok {
		t.Fatalf("%s is not accepted", l.dt)
	}
	return arr, typ
}

var layouts = []layout{
	{arrow.FixedWidthTypes.Boolean, `[true,null,false,true,null,true,false,false,true,true,null]`, "1|NULL|0|1|NULL|1|0|0|1|1|NULL"},
	{arrow.PrimitiveTypes.Int8, `[-128,null,127,5,null]`, "-128|NULL|127|5|NULL"},
	{arrow.PrimitiveTypes.Int16, `[-32768,null,32767,0,3]`, "-32768|NULL|32767|0|3"},
	{arrow.PrimitiveTypes.Int32, `[-2147483648,null,2147483647]`, "-2147483648|NULL|2147483647"},
	{arrow.PrimitiveTypes.Int64, `[-9223372036854775808,null,9223372036854775807]`, "-9223372036854775808|NULL|9223372036854775807"},
	{arrow.PrimitiveTypes.Uint8, `[255,null,0]`, "255|NULL|0"},
	{arrow.PrimitiveTypes.Uint16, `[65535,null,0]`, "65535|NULL|0"},
	{arrow.PrimitiveTypes.Uint32, `[4294967295,null,0]`, "4294967295|NULL|0"},
	{arrow.PrimitiveTypes.Uint64, `[18446744073709551615,null,0]`, "18446744073709551615|NULL|0"},
	{arrow.FixedWidthTypes.Float16, `[1.5,null,-2]`, "1.5|NULL|-2"},
	{arrow.PrimitiveTypes.Float32, `[0.1,null,-2]`, "0.1|NULL|-2"},
	{arrow.PrimitiveTypes.Float64, `[0.1,null,-2e300]`, "0.1|NULL|-2e300"},
	{&arrow.Decimal128Type{Precision: 38, Scale: 2}, `["123.45",null,"-0.05"]`, "123.45|NULL|-0.05"},
	{&arrow.Decimal256Type{Precision: 38, Scale: 2}, `["123.45",null,"-0.05"]`, "123.45|NULL|-0.05"},
	{arrow.BinaryTypes.String, `["a",null,"","déjà"]`, "a|NULL||déjà"},
	{arrow.BinaryTypes.StringView, `["a",null,"","a text of more than twelve bytes"]`, "a|NULL||a text of more than twelve bytes"},
	{arrow.BinaryTypes.BinaryView, `["YWI=",null,"YWJjZGVmZ2hpamtsbW5vcA=="]`, "ab|NULL|abcdefghijklmnop"},
	{arrow.BinaryTypes.LargeString, `["a",null,"","déjà"]`, "a|NULL||déjà"},
	{arrow.BinaryTypes.Binary, `["YWI=",null,""]`, "ab|NULL|"},
	{arrow.BinaryTypes.LargeBinary, `["YWI=",null,""]`, "ab|NULL|"},
	{&arrow.FixedSizeBinaryType{ByteWidth: 2}, `["YWI=",null,"Y2Q="]`, "ab|NULL|cd"},
	{arrow.FixedWidthTypes.Date32, `["1969-12-31",null,"2024-02-29"]`, "1969-12-31|NULL|2024-02-29"},
	{arrow.FixedWidthTypes.Date64, `["1969-12-31",null,"2024-02-29"]`, "1969-12-31|NULL|2024-02-29"},
	{&arrow.TimestampType{Unit: arrow.Second}, `["1969-12-31 23:59:59",null]`, "1969-12-31 23:59:59.000000|NULL"},
	{&arrow.TimestampType{Unit: arrow.Millisecond}, `["1969-12-31 23:59:59.999",null]`, "1969-12-31 23:59:59.999000|NULL"},
	{&arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, `["1969-12-31 23:59:59.999999",null]`, "1969-12-31 23:59:59.999999|NULL"},
	{&arrow.TimestampType{Unit: arrow.Nanosecond}, `["1969-12-31 23:59:59.999999001",null]`, "1969-12-31 23:59:59.999999|NULL"},
	{arrow.FixedWidthTypes.Duration_s, `["-90000s",null]`, "-25:00:00.000000|NULL"},
	{arrow.FixedWidthTypes.Duration_us, `["1us",null]`, "00:00:00.000001|NULL"},
	{arrow.FixedWidthTypes.Time32s, `["10:11:12",null]`, "10:11:12.000000|NULL"},
	{arrow.FixedWidthTypes.Time32ms, `["10:11:12.5",null]`, "10:11:12.500000|NULL"},
	{arrow.FixedWidthTypes.Time64us, `["10:11:12.000005",null]`, "10:11:12.000005|NULL"},
	{arrow.FixedWidthTypes.Time64ns, `["10:11:12.000005",null]`, "10:11:12.000005|NULL"},
	{arrow.Null, `[null,null]`, "NULL|NULL"},
	{&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint8, ValueType: arrow.BinaryTypes.String}, `["x",null,"y","x"]`, "x|NULL|y|x"},
	{&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}, `["x",null,"y","x"]`, "x|NULL|y|x"},
}

func texts(v *vec.Vector) []string {
	out := make([]string, v.N)
	for i := range out {
		out[i] = catalog.DatumAt(v, i).Text()
	}
	return out
}

// TestFromArray reads every layout completely, in every window, and after slicing the array
// itself, always into the same vector.
func TestFromArray(t *testing.T) {
	dst := &vec.Vector{}
	for _, c := range layouts {
		arr, typ := c.array(t)
		want := strings.Split(c.want, "|")
		for skip := 0; skip < len(want); skip++ {
			sliced := array.NewSlice(arr, int64(skip), int64(len(want)))
			for from := 0; from <= sliced.Len(); from++ {
				for to := from; to <= sliced.Len(); to++ {
					if err := FromArray(sliced, typ, from, to, dst); err != nil {
						t.Fatalf("%s: %v", c.dt, err)
					}
					got, part := strings.Join(texts(dst), "|"), strings.Join(want[skip+from:skip+to], "|")
					if got != part {
						t.Fatalf("%s slice %d rows %d..%d: got %q, want %q", c.dt, skip, from, to, got, part)
					}
					if dst.Form == vec.Flat && dst.Null != nil && !strings.Contains(part, "NULL") {
						t.Fatalf("%s rows %d..%d: NULL flags without NULLs", c.dt, from, to)
					}
				}
			}
		}
	}
}

// TestTake takes every other row of every layout that Take and Copy support, and of slices.
func TestTake(t *testing.T) {
	taken := takeLayouts(t, "Take", Take)
	copied := takeLayouts(t, "Copy", Copy)
	if taken < 8 || copied < taken+5 {
		t.Errorf("Take serves %d layouts, Copy %d", taken, copied)
	}
}

// takeLayouts returns the number of layouts that take supports.
func takeLayouts(t *testing.T, name string, take func(arrow.Array, types.Type, int, []int32, *vec.Vector) (bool, error)) (served int) {
	dst := &vec.Vector{}
	for _, c := range layouts {
		arr, typ := c.array(t)
		all := strings.Split(c.want, "|")
		sliced := array.NewSlice(arr, 1, int64(len(all)))
		var rows []int32
		var want []string
		for i := 2; i < len(all); i += 2 {
			rows, want = append(rows, int32(i-2)), append(want, all[i])
		}
		taken, err := take(sliced, typ, 1, rows, dst)
		if err != nil {
			t.Fatalf("%s: %s: %v", name, c.dt, err)
		}
		if !taken {
			continue
		}
		served++
		if got := texts(dst); strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%s: %s: got %q, want %q", name, c.dt, got, want)
		}
		if taken, err := take(sliced, typ, 0, []int32{0}, dst); !taken || err != nil || dst.Null != nil && all[1] != "NULL" {
			t.Errorf("%s: %s: NULL flags without NULLs, or %v", name, c.dt, err)
		}
	}
	return served
}

// TestRoundTrip converts vectors read from arrays back to Arrow and reads the result again; the
// array must have the Arrow layout of the vector's type.
func TestRoundTrip(t *testing.T) {
	for _, c := range layouts {
		arr, typ := c.array(t)
		v := &vec.Vector{}
		if err := FromArray(arr, typ, 1, arr.Len(), v); err != nil {
			t.Fatal(err)
		}
		back, err := ToArray(v, memory.DefaultAllocator)
		if err != nil {
			t.Fatalf("%s: %v", c.dt, err)
		}
		if !arrow.TypeEqual(back.DataType(), typ.Arrow()) {
			t.Errorf("%s: array of %s, want %s", c.dt, back.DataType(), typ.Arrow())
		}
		again := &vec.Vector{}
		if err := FromArray(back, typ, 0, back.Len(), again); err != nil {
			t.Fatal(err)
		}
		want := strings.SplitN(c.want, "|", 2)[1]
		if got := strings.Join(texts(again), "|"); got != want {
			t.Errorf("%s: got %q, want %q", c.dt, got, want)
		}
	}
}

// TestSharedMemoryIsNotOverwritten reads a BIGINT array, whose memory is shared, and then a
// converted array into the same vector.
func TestSharedMemoryIsNotOverwritten(t *testing.T) {
	wide := array.NewInt64Builder(memory.DefaultAllocator)
	wide.AppendValues([]int64{1, 2, 3, 4}, nil)
	shared := wide.NewInt64Array()
	thin := array.NewInt8Builder(memory.DefaultAllocator)
	thin.AppendValues([]int8{9, 9}, nil)
	dst := &vec.Vector{}
	for range 2 {
		if err := FromArray(shared, types.T(types.Int64), 0, 4, dst); err != nil {
			t.Fatal(err)
		}
		if &dst.I64[0] != &shared.Int64Values()[0] {
			t.Error("BIGINT values were copied")
		}
		if err := FromArray(array.NewInt8Data(thin.NewArray().Data()), types.T(types.Int64), 0, 0, dst); err != nil {
			t.Fatal(err)
		}
		thin.AppendValues([]int8{9, 9}, nil)
		if err := FromArray(thin.NewArray(), types.T(types.Int64), 0, 2, dst); err != nil {
			t.Fatal(err)
		}
	}
	if got := shared.Int64Values(); got[0] != 1 || got[1] != 2 {
		t.Errorf("the array's memory was written to: %v", got)
	}
}

func TestDictCache(t *testing.T) {
	dt := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	arr, _ := (&layout{dt: dt, json: `["x","y","x"]`}).array(t)
	var cache DictCache
	var a, b vec.Vector
	for i, v := range []*vec.Vector{&a, &b} {
		if err := cache.FromArray(array.NewSlice(arr, int64(i), 3), types.T(types.String), 0, 2, v); err != nil {
			t.Fatal(err)
		}
	}
	if a.Base != b.Base {
		t.Error("two slices of one dictionary array do not share the base")
	}
	if got := strings.Join(append(texts(&a), texts(&b)...), " "); got != "x y y x" {
		t.Errorf("got %s", got)
	}
}

func TestErrors(t *testing.T) {
	seconds := array.NewTimestampBuilder(memory.DefaultAllocator, &arrow.TimestampType{Unit: arrow.Second})
	seconds.Append(math.MaxInt64)
	if err := FromArray(seconds.NewArray(), types.T(types.Datetime), 0, 1, &vec.Vector{}); err == nil {
		t.Error("an overflowing timestamp was accepted")
	}
	v := vec.NewFlat(types.T(types.Int8), 2)
	v.I64[0], v.I64[1] = 0, 128
	if _, err := ToArray(v, memory.DefaultAllocator); err == nil {
		t.Error("128 was stored in a TINYINT")
	}
	v.SetNull(1)
	if _, err := ToArray(v, memory.DefaultAllocator); err != nil {
		t.Errorf("the slot of a NULL was checked: %v", err)
	}
	dec := array.NewDecimal128Builder(memory.DefaultAllocator, &arrow.Decimal128Type{Precision: 10, Scale: 2})
	dec.AppendNull()
	if err := FromArray(dec.NewArray(), types.Dec(10, 3), 0, 1, &vec.Vector{}); err == nil {
		t.Error("a decimal was read with another scale")
	}
}

func BenchmarkFromArray(b *testing.B) {
	const n = 1 << 16
	ints, strs := array.NewInt32Builder(memory.DefaultAllocator), array.NewStringBuilder(memory.DefaultAllocator)
	for i := range n {
		ints.Append(int32(i))
		strs.Append("value")
	}
	for _, c := range []struct {
		name string
		arr  arrow.Array
	}{{"int32", ints.NewArray()}, {"string", strs.NewArray()}} {
		b.Run(c.name, func(b *testing.B) {
			typ, _ := types.FromArrow(c.arr.DataType())
			dst := &vec.Vector{}
			b.ReportAllocs()
			for b.Loop() {
				for from := 0; from < n; from += vec.BatchSize {
					if err := FromArray(c.arr, typ, from, from+vec.BatchSize, dst); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
		})
	}
}
