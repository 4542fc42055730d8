package eval

import (
	"strconv"
	"sync"
	"time"
	_ "time/tzdata" // names of zones work on machines that have none

	"gsql/sql/types"
)

func init() { Register(Def{Name: "convert_tz", Bind: Fn(TryTernary(convertTZ)), Total: Always}) }

// zones remembers the zones met by name; a name that is none has nil.
var zones sync.Map

// zone gives a time zone by its offset, +hh:mm from -13:59 to +14:00, or by its name.
func zone(name string) *time.Location {
	if z, ok := zones.Load(name); ok {
		return z.(*time.Location)
	}
	z, ok := offset(name)
	if !ok && name != "" && name != "Local" { // which Go takes for UTC and for the machine's zone
		z, _ = time.LoadLocation(name)
	}
	if name == "SYSTEM" {
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

// lastConverted is 3001-01-18 23:59:59, the last second that MySQL converts.
const lastConverted = 32536771199

// convertTZ moves a point in time between zones; NULL for zones that there are not.
// What lies outside the times of TIMESTAMP stays as it is.
func convertTZ(_ *Runtime, us int64, from, to string) (int64, bool, error) {
	source, target := zone(from), zone(to)
	if source == nil || target == nil {
		return 0, false, nil
	}
	utc := instant(us, source)
	if s := utc.Unix(); s < 1 || s > lastConverted {
		return us, true, nil
	}
	_, seconds := utc.In(target).Zone()
	return utc.UnixMicro() + int64(seconds)*types.Second, true, nil
}

// instant gives the time at which clocks in a zone show us, microseconds since
// 1970-01-01 00:00 there. A time that they skip is that of the change.
func instant(us int64, in *time.Location) time.Time {
	shown := time.UnixMicro(us).UTC()
	t := time.Date(shown.Year(), shown.Month(), shown.Day(), shown.Hour(), shown.Minute(), shown.Second(), shown.Nanosecond(), in)
	if _, seconds := t.Zone(); t.UnixMicro()+int64(seconds)*types.Second == us {
		return t
	}
	start, end := t.ZoneBounds()
	if end.IsZero() || !start.IsZero() && t.Sub(start) < end.Sub(t) {
		return start
	}
	return end
}
