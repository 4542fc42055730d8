package arrow

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"gsql/storage/files/nested"
)

// isInterval reports whether an Arrow type is an interval, which is read as a text.
func isInterval(dt arrow.DataType) bool {
	switch dt.ID() {
	case arrow.INTERVAL_MONTHS, arrow.INTERVAL_DAY_TIME, arrow.INTERVAL_MONTH_DAY_NANO:
		return true
	}
	return false
}

// intervalAt returns value i of an array of intervals as a duration of ISO 8601.
func intervalAt(arr arrow.Array, i int) string {
	switch a := arr.(type) {
	case *array.MonthInterval:
		return nested.Interval(int64(a.Value(i)), 0, 0)
	case *array.DayTimeInterval:
		v := a.Value(i)
		return nested.Interval(0, int64(v.Days), 1e6*int64(v.Milliseconds))
	case *array.MonthDayNanoInterval:
		v := a.Value(i)
		return nested.Interval(int64(v.Months), int64(v.Days), v.Nanoseconds)
	}
	return ""
}
