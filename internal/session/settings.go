package session

import (
	"os"
	"strings"

	"gsql/internal/profile"
	"gsql/planner/implement"
	"gsql/sql/deviceset"
	"gsql/sql/sqlmode"
	"gsql/sql/sysvar"
)

// Settings are the variables that every statement reads, parsed.
type Settings struct {
	Workers      int    // goroutines a query may use, as far as memory limits allow
	BatchSize    int    // rows
	MemoryLimit  int64  // bytes of a query; 0 is the database's limit
	TimeLimit    int64  // milliseconds; 0 is none
	TempDir      string // where a query spills
	TempLimit    int64  // bytes that a query may spill
	RowLimit     int64  // rows of a query without LIMIT; -1 is all
	Verify       bool   // queries on devices run on the CPU too, and the rows are compared
	SafeUpdates  bool   // UPDATE and DELETE must name a key
	Autocommit   bool
	readOnly     bool // of later transactions
	serializable bool // of later transactions
	Mode         sqlmode.Mode
	Disabled     map[string]bool // planner rules
	Placement    implement.Placement
	Planning     Planning
}

// Planning holds the settings that plans depend on.
type Planning struct {
	workers          int
	device, disabled string
}

// Settings returns the session's settings, which are parsed again after each change of a variable.
// They are read-only.
func (s *Session) Settings() *Settings {
	if s.settings == nil {
		s.settings = readSettings(s)
	}
	return s.settings
}

func readSettings(s *Session) *Settings {
	device, _ := s.Var("gsql_device")
	disabled, _ := s.Var("gsql_disable_rules")
	out := &Settings{
		Workers:     s.DB.Workers,
		BatchSize:   int(integer(s, "gsql_batch_size")),
		MemoryLimit: integer(s, "gsql_memory_limit"),
		TimeLimit:   integer(s, "max_execution_time"),
		TempLimit:   integer(s, "gsql_temp_limit"),
		Autocommit:  integer(s, "autocommit") != 0,
		SafeUpdates: integer(s, "sql_safe_updates") != 0,
		Verify:      integer(s, "gsql_verify") != 0,
		Disabled:    RuleSet(disabled),
	}
	isolation, _ := s.Var("transaction_isolation")
	out.readOnly, out.serializable = integer(s, "transaction_read_only") != 0, isolation == serializable
	limit, _ := s.Var("sql_select_limit")
	if out.RowLimit = -1; limit != sysvar.NoRowLimit {
		out.RowLimit = integer(s, "sql_select_limit")
	}
	mode, _ := s.Var("sql_mode")
	out.Mode, _ = sqlmode.Parse(mode) // checked when it was set
	if out.TempDir, _ = s.Var("gsql_temp_directory"); out.TempDir == "" {
		out.TempDir = os.TempDir()
	}
	if n := integer(s, "gsql_workers"); n > 0 {
		out.Workers = int(n)
	}
	out.Workers = workersWithin(out.Workers, out.MemoryLimit, s.DB.Mem.LowestLimit())
	out.Planning = Planning{out.Workers, device, disabled}
	if device == deviceset.GPU || device == "gpu:all" {
		s.DB.StartGPU()
	}
	out.Placement = implement.Placement{
		CPU: profile.Current().ForWorkers(out.Workers), Device: device,
		Open: s.DB.Devices.Open, Opened: s.DB.Devices.Opened, Resident: s.DB.Devices.Resident, Forms: s.DB.Devices.Forms(),
	}
	return out
}

// leastPerWorker is the memory limit in bytes for which another goroutine pays: each holds buffers
// of its own in every operator. With less, success would depend on their schedule.
const leastPerWorker = 1 << 20

// workersWithin returns how many of n goroutines a query uses under limits in bytes, 0 for none.
func workersWithin(n int, limits ...int64) int {
	for _, limit := range limits {
		if limit > 0 {
			n = max(1, min(n, int(limit/leastPerWorker)))
		}
	}
	return n
}

// RuleSet parses the value of gsql_disable_rules: names separated by commas.
func RuleSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, name := range strings.Split(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			set[name] = true
		}
	}
	return set
}
