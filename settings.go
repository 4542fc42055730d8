package gsql

import (
	"os"
	"strings"

	"gsql/internal/simd"
	"gsql/planner/cost"
	"gsql/planner/implement"
	"gsql/sql/sqlmode"
	"gsql/sql/sysvar"
)

// settings are the variables that every statement asks for, in the form it needs them.
type settings struct {
	workers     int    // goroutines a query may use
	batchSize   int    // rows
	memoryLimit int64  // bytes; 0 for the database's
	timeLimit   int64  // milliseconds; 0 for none
	tempDir     string // where a query may put rows that it has no memory for
	tempLimit   int64  // bytes of them
	rowLimit    int64  // rows of a query without LIMIT; -1 for all
	safeUpdates bool   // UPDATE and DELETE must name a key
	autocommit  bool
	mode        sqlmode.Mode
	disabled    map[string]bool // planner rules
	placement   implement.Placement
	planning    planning
}

// planning are the settings that plans depend on.
type planning struct {
	workers          int
	device, disabled string
}

// MemoryLimit gives the bytes that a query of the session may hold; 0 where only the engine's
// limit counts.
func (s *Session) MemoryLimit() int64 { return s.settings().memoryLimit }

// settings gives the session's settings, read anew after each change of a variable.
func (s *Session) settings() *settings {
	if s.known == nil {
		s.known = s.readSettings()
	}
	return s.known
}

func (s *Session) readSettings() *settings {
	device, _ := s.Var("gsql_device")
	disabled, _ := s.Var("gsql_disable_rules")
	out := &settings{
		workers:     s.db.cfg.Workers,
		batchSize:   int(s.intVar("gsql_batch_size")),
		memoryLimit: s.intVar("gsql_memory_limit"),
		timeLimit:   s.intVar("max_execution_time"),
		tempLimit:   s.intVar("gsql_temp_limit"),
		autocommit:  s.intVar("autocommit") != 0,
		safeUpdates: s.intVar("sql_safe_updates") != 0,
		disabled:    ruleSet(disabled),
	}
	limit, _ := s.Var("sql_select_limit")
	if out.rowLimit = -1; limit != sysvar.NoRowLimit {
		out.rowLimit = s.intVar("sql_select_limit")
	}
	mode, _ := s.Var("sql_mode")
	out.mode, _ = sqlmode.Parse(mode) // checked when it was set
	if out.tempDir, _ = s.Var("gsql_temp_directory"); out.tempDir == "" {
		out.tempDir = os.TempDir()
	}
	if n := s.intVar("gsql_workers"); n > 0 {
		out.workers = int(n)
	}
	out.planning = planning{out.workers, device, disabled}
	out.placement = implement.Placement{
		CPU: cost.Default(out.workers).WithVectors(simd.Best().Bits()), Device: device, Open: s.db.devices.Open, Resident: s.db.devices.Resident,
	}
	return out
}

// setVar changes a variable of the session; its value is checked.
func (s *Session) setVar(name, value string) {
	s.vars[name], s.known = value, nil
}

func ruleSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, name := range strings.Split(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			set[name] = true
		}
	}
	return set
}
