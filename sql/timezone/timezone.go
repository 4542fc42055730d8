// Package timezone finds time zones by MySQL's names and moves points in time between
// them. Times without a zone are microseconds since 1970-01-01 00:00 on a zone's clocks.
package timezone

import (
	"strconv"
	"sync"
	"time"
	_ "time/tzdata" // names of zones work on machines that have none

	"gsql/sql/catalog"
	"gsql/sql/types"
)

// zones remembers the zones met by name; a name that is none is not kept.
var zones sync.Map

// Find returns a time zone by its offset, +hh:mm from -13:59 to +14:00, or by its name; nil if
// there is none. SYSTEM is UTC.
func Find(name string) *time.Location {
	if z, ok := zones.Load(name); ok {
		return z.(*time.Location)
	}
	z, ok := offset(name)
	if !ok && name != "" && name != "Local" { // which Go takes for UTC and for the machine's zone
		z, _ = time.LoadLocation(name)
	}
	if name == "SYSTEM" || z != nil && z.String() == "+00:00" {
		z = time.UTC
	}
	if z != nil { // wrong names may be any number
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

// Of returns a session's time zone.
func Of(env catalog.Env) *time.Location {
	if name, ok := env.Var("time_zone"); ok {
		if z := Find(name); z != nil {
			return z
		}
	}
	return time.UTC
}

// The first and the last microsecond of TIMESTAMP, from 1970-01-01 00:00:01 to
// 2038-01-19 03:14:07.999999 UTC.
const (
	firstTimestamp = types.Second
	lastTimestamp  = 1<<31*types.Second - 1
)

// InTimestamp reports whether a TIMESTAMP column can hold a time, in microseconds of UTC.
func InTimestamp(utc int64) bool { return firstTimestamp <= utc && utc <= lastTimestamp }

// Local returns what clocks in a zone show at a time in microseconds since 1970-01-01 UTC.
func Local(utc int64, in *time.Location) int64 {
	if in == time.UTC {
		return utc
	}
	_, seconds := time.UnixMicro(utc).In(in).Zone()
	return utc + int64(seconds)*types.Second
}

// Instant returns the time at which clocks in a zone show a time. One that they skip is that
// of the change, of two the earlier one.
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
