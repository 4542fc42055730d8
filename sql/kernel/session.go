package kernel

import (
	"time"

	"gsql/sql/timezone"
)

// Now is the statement's time; without a session it spoils constant folding.
func (rt *Runtime) Now() int64 {
	if rt.Env == nil {
		rt.Tripped = true
		return 0
	}
	return rt.Env.Now()
}

// Zone is the session's time zone; without a session it spoils constant folding.
func (rt *Runtime) Zone() *time.Location {
	if rt.Env == nil {
		rt.Tripped = true
		return time.UTC
	}
	return timezone.Of(rt.Env)
}
