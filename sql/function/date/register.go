// Package date has the functions of dates, times and time zones.
package date

// Register makes the functions known; sql/function calls it once.
func Register() {
	registerSignatures()
	registerCalendar()
	registerExtract()
	registerFormat()
	registerInterval()
	registerNow()
	registerParts()
	registerStrtodate()
	registerTime()
	registerTimezone()
}
