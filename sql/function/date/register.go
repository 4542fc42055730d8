// Package date implements the functions of dates, times and time zones.
package date

// Register registers the functions; sql/function calls it once.
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
