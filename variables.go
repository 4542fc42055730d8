package gsql

import (
	"strconv"
	"strings"

	"gsql/internal/suggest"
	"gsql/sql/sqlerr"
	"gsql/sql/sqlmode"
)

// maxWorkers bounds gsql_workers.
const maxWorkers = 1024

// variable describes a system variable. check normalises a value or returns false;
// nil makes the variable read-only.
type variable struct {
	def   string
	check func(string) (string, bool)
	help  string // the values it takes
}

// variables lists every system variable: gsql's own, those of MySQL that gsql obeys,
// and those that clients set or read when they connect.
var variables = map[string]variable{
	"gsql_memory_limit":     {"0", sizeValue, "a size such as '512MB' or '4GB'; 0 for the database's limit"},
	"gsql_gpu_memory_limit": {"0", sizeValue, "a size such as '512MB' or '4GB'; 0 for 80 % of the device memory that is free"},
	"gsql_temp_directory":   {"", anyValue, "a directory; empty for the system's"},
	"gsql_temp_limit":       {"0", sizeValue, "a size such as '40GB'; 0 for no limit"},
	"gsql_workers":          {"0", intBetween(0, maxWorkers), "a number of goroutines; 0 for one per core"},
	"gsql_batch_size":       {"2048", intBetween(1, 1<<16), "rows a batch, 1 to 65536"},
	"gsql_disable_rules":    {"", anyValue, "a comma-separated list of planner rules"},
	"gsql_device":           {"auto", oneOf("auto", "cpu", "gpu", "sim"), "auto, cpu, gpu or sim"},
	"gsql_on_fallback":      {"warn", oneOf("allow", "warn", "error"), "allow, warn or error"},

	"autocommit":              {"1", boolValue, "ON or OFF"},
	"sql_mode":                {sqlmode.Default.String(), anyValue, ""},
	"cte_max_recursion_depth": {"1000", intBetween(0, 1<<32-1), "a number of iterations"},
	"group_concat_max_len":    {"1048576", intBetween(4, 1<<31-1), "a number of bytes"},
	"max_execution_time":      {"0", intBetween(0, 1<<31-1), "milliseconds; 0 for no limit"},

	"time_zone":                {"+00:00", oneOf("+00:00", "UTC", "SYSTEM"), "+00:00 (times are kept in UTC)"},
	"character_set_client":     {"utf8mb4", utf8Value, "utf8mb4"},
	"character_set_connection": {"utf8mb4", utf8Value, "utf8mb4"},
	"character_set_results":    {"utf8mb4", utf8Value, "utf8mb4"},
	"collation_connection":     {"utf8mb4_bin", oneOf("utf8mb4_bin"), "utf8mb4_bin (strings compare by their bytes)"},
	"transaction_isolation":    {"REPEATABLE-READ", oneOf("REPEATABLE-READ", "SNAPSHOT"), "REPEATABLE-READ (snapshots)"},
	"transaction_read_only":    {"0", boolValue, "ON or OFF"},
	"lower_case_table_names":   {"2", nil, ""},
	"max_allowed_packet":       {"67108864", nil, ""},
	"version":                  {"8.0.11-gsql", nil, ""},
	"version_comment":          {"gsql", nil, ""},
}

// checkVariable normalises value for the system variable name (lower case). Errors:
// 1193 unknown, 1238 read-only, 1231 wrong value.
func checkVariable(name, value string) (string, error) {
	v, ok := variables[name]
	if !ok {
		e := sqlerr.New(sqlerr.UnknownSystemVariable, "Unknown system variable '%s'", name)
		if near := suggest.Nearest(name, sortedKeys(variables)); near != "" {
			e = e.WithHint("Did you mean '%s'?", near)
		}
		return "", e
	}
	if v.check == nil {
		return "", sqlerr.New(sqlerr.SettingsError, "Variable '%s' is a read only variable", name)
	}
	if name == "sql_mode" {
		return checkMode(value)
	}
	out, ok := v.check(strings.TrimSpace(value))
	if !ok {
		return "", sqlerr.New(sqlerr.WrongValueForVar, "Variable '%s' can't be set to the value of '%s'", name, value).
			WithHint("It takes %s.", v.help)
	}
	return out, nil
}

func anyValue(s string) (string, bool) { return s, true }

func utf8Value(s string) (string, bool) {
	return "utf8mb4", strings.HasPrefix(strings.ToLower(s), "utf8") || s == ""
}

func sizeValue(s string) (string, bool) {
	n, err := parseSize(s)
	return strconv.FormatInt(n, 10), err == nil
}

func boolValue(s string) (string, bool) {
	switch strings.ToLower(s) {
	case "1", "on", "true":
		return "1", true
	case "0", "off", "false":
		return "0", true
	}
	return "", false
}

func intBetween(lo, hi int64) func(string) (string, bool) {
	return func(s string) (string, bool) {
		n, err := strconv.ParseInt(s, 10, 64)
		return strconv.FormatInt(n, 10), err == nil && n >= lo && n <= hi
	}
}

func oneOf(allowed ...string) func(string) (string, bool) {
	return func(s string) (string, bool) {
		for _, a := range allowed {
			if strings.EqualFold(a, s) {
				return a, true
			}
		}
		return "", false
	}
}
