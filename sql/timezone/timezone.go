// Package timezone looks up time zones by MySQL's names and converts times between them. Times
// without a zone are microseconds since 1970-01-01 00:00 in local time.
package timezone

import (
	"strconv"
	"sync"
	"time"
	_ "time/tzdata" // makes zone names work on machines without a time zone database

	"gsql/sql/catalog"
	"gsql/sql/types"
)

// zones caches time zones by name. Unknown names are not cached.
var zones sync.Map

// Find returns a time zone by its offset, +hh:mm from -13:59 to +14:00, or by its name. It
// returns nil if there is none. SYSTEM is UTC.
func Find(name string) *time.Location {
	if z, ok := zones.Load(name); ok {
		return z.(*time.Location)
	}
	z, ok := offset(name)
	if !ok && name != "" && name != "Local" { // Go takes these for UTC and for the machine's zone
		z, _ = time.LoadLocation(name)
	}
	if name == "SYSTEM" || z != nil && z.String() == "+00:00" {
		z = time.UTC
	}
	if z != nil { // the number of wrong names is unlimited
		zones.Store(name, z)
	}
	return z
}

func offset(s string) (*time.Location, bool) {
	if len(s) < 5 || s[0] != '+' && s[0] != '-' || s[len(s)-3] != ':' {
		return nil, false
	}
	h, err := strconv.ParseUint(s[1:len(s)-3], 10, 8)
	m, err2 := strconv.ParseUint(s[len(s)-2:], 10, 8)
	seconds := int(h)*3600 + int(m)*60
	if s[0] == '-' {
		seconds = -seconds
	}
	if err != nil || err2 != nil || m > 59 || seconds > 14*3600 || seconds <= -14*3600 {
		return nil, false
	}
	return time.FixedZone(s, seconds), true
}

// Of returns the session's time zone.
func Of(env catalog.Env) *time.Location {
	if name, ok := env.Var("time_zone"); ok {
		if z := Find(name); z != nil {
			return z
		}
	}
	return time.UTC
}

// The first and last microseconds of TIMESTAMP, 1970-01-01 00:00:01 and 2038-01-19
// 03:14:07.999999 UTC.
const (
	firstTimestamp = types.Second
	lastTimestamp  = 1<<31*types.Second - 1
)

// InTimestamp reports whether a TIMESTAMP column can hold a time given in microseconds of UTC.
func InTimestamp(utc int64) bool { return firstTimestamp <= utc && utc <= lastTimestamp }

// Local returns the local time in a zone at a time in microseconds since 1970-01-01 UTC.
func Local(utc int64, in *time.Location) int64 {
	if in == time.UTC {
		return utc
	}
	_, seconds := time.UnixMicro(utc).In(in).Zone()
	return utc + int64(seconds)*types.Second
}

// Instant returns the time at which a local time occurs in a zone. For a skipped local time, it
// returns the time of the clock change; for one that occurs twice, the earlier time.
func Instant(local int64, in *time.Location) int64 {
	if in == time.UTC {
		return local
	}
	shown := time.UnixMicro(local).UTC()
	t := time.Date(shown.Year(), shown.Month(), shown.Day(), shown.Hour(), shown.Minute(), shown.Second(), shown.Nanosecond(), in)
	if _, seconds := t.Zone(); t.UnixMicro()+int64(seconds)*types.Second == local {
		return t.UnixMicro()
	}
	start, end := t.ZoneBounds()
	if end.IsZero() || !start.IsZero() && t.Sub(start) < end.Sub(t) {
		return start.UnixMicro()
	}
	return end.UnixMicro()
}
