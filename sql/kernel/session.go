package kernel

import (
	"time"

	"gsql/sql/timezone"
)

// Now returns the statement's time. Without a session it prevents constant folding.
func (rt *Runtime) Now() int64 {
	if rt.Env == nil {
		rt.Tripped = true
		return 0
	}
	return rt.Env.Now()
}

// Zone returns the session's time zone. Without a session it prevents constant folding.
func (rt *Runtime) Zone() *time.Location {
	if rt.Env == nil {
		rt.Tripped = true
		return time.UTC
	}
	return timezone.Of(rt.Env)
}
