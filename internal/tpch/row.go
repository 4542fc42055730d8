package tpch

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
)

// cents is an amount of money in hundredths.
type cents int64

// row appends a row's values to the columns of b in order.
func row(b *array.RecordBuilder, values ...any) {
	for i, v := range values {
		switch f := b.Field(i).(type) {
		case *array.Int32Builder:
			f.Append(int32(v.(int64)))
		case *array.Int64Builder:
			f.Append(v.(int64))
		case *array.StringBuilder:
			f.Append(v.(string))
		case *array.Decimal128Builder:
			f.Append(decimal128.FromI64(int64(v.(cents))))
		case *array.Date32Builder:
			f.Append(v.(arrow.Date32))
		}
	}
}

// phone returns a telephone number of a nation (clause 4.2.2.9).
func (r *random) phone(nation int64) string {
	return fmt.Sprintf("%d-%d-%d-%d", nation+10, r.between(100, 999), r.between(100, 999), r.between(1000, 9999))
}

func fillRegion(_ *scale, from, to int64, b *array.RecordBuilder) {
	for i := from; i < to; i++ {
		row(b, i, regions[i], rowRandom(1, i).comment(31, 115))
	}
}

func fillNation(_ *scale, from, to int64, b *array.RecordBuilder) {
	for i := from; i < to; i++ {
		row(b, i, nations[i].name, int64(nations[i].region), rowRandom(2, i).comment(31, 114))
	}
}
