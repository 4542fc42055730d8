package sysvar

import (
	"math"
	"os"
	"runtime"
	"strings"

	"gsql/sql/sqlerr"
	"gsql/sql/sqlmode"
	"gsql/sql/timezone"
	"gsql/sql/types"
)

// MaxWorkers is the largest value of gsql_workers.
const MaxWorkers = 1024

// NoRowLimit is the value of sql_select_limit that means no limit.
const NoRowLimit = "18446744073709551615"

// engine lists gsql's own variables.
func engine() []Var {
	return []Var{
		size("gsql_memory_limit", "a size such as '512MB' or '4GB'; 0 for the database's limit"),
		size("gsql_gpu_memory_limit", "a size such as '512MB' or '4GB'; 0 for 80 % of the device memory that is free"),
		text("gsql_temp_directory", ""),
		size("gsql_temp_limit", "a size such as '40GB'; 0 for nine tenths of what is free"),
		integer("gsql_workers", "0", 0, MaxWorkers, "a number of goroutines; 0 for one per core"),
		integer("gsql_batch_size", "2048", 1, 1<<16, "rows a batch"),
		text("gsql_disable_rules", ""),
		devices("gsql_device"),
		text("gsql_on_fallback", "warn", "allow", "warn", "error"),
		onOff("gsql_verify", false),
		text("gsql_sync", "full", "full", "normal", "off").only(GlobalOnly),
	}
}

// behaviour lists the MySQL variables that affect what statements do.
func behaviour() []Var {
	isolation := text("transaction_isolation", "REPEATABLE-READ", "REPEATABLE-READ", "READ-COMMITTED", "READ-UNCOMMITTED", "SERIALIZABLE", "SNAPSHOT")
	return []Var{
		onOff("autocommit", true),
		modes(),
		integer("cte_max_recursion_depth", "1000", 0, math.MaxUint32, "a number of iterations"),
		integer("group_concat_max_len", "1048576", 4, math.MaxInt32, "a number of bytes"),
		integer("max_execution_time", "0", 0, math.MaxInt32, "milliseconds; 0 for no limit"),
		rowLimit("sql_select_limit"),
		onOff("sql_notes", true),
		onOff("sql_safe_updates", false),
		onOff("transaction_read_only", false),
		isolation,
		onOff("foreign_key_checks", false).stays("foreign keys are not enforced"),
		onOff("unique_checks", true).stays("unique keys are always enforced"),
	}
}

// modes returns sql_mode. As in MySQL, the error for a wrong value names only that value; modes
// that gsql does not implement are error 1235.
func modes() Var {
	v := text("sql_mode", sqlmode.Default.String())
	v.check = func(s string) (string, bool) {
		m, wrong := sqlmode.Parse(s)
		return m.String(), wrong == "" && !m.Has(sqlmode.Unsupported)
	}
	v.explain = func(s string) error {
		m, wrong := sqlmode.Parse(s)
		if wrong != "" {
			return sqlerr.New(sqlerr.WrongValueForVar, "Variable 'sql_mode' can't be set to the value of '%s'", wrong)
		}
		return sqlerr.Unsupported(-1, "sql_mode %s", m&sqlmode.Unsupported)
	}
	return v
}

// connection lists the variables that clients set when they connect. Many accept only the value
// that gsql implements; others, such as timeouts and buffer sizes, have no effect.
func connection() []Var {
	utf8mb4 := func(name string) Var {
		v := text(name, "utf8mb4")
		v.Takes, v.check = "utf8mb4", utf8
		return v
	}
	seconds := func(name, value string) Var { return integer(name, value, 1, math.MaxInt32, "seconds") }
	zone := text("time_zone", "+00:00")
	zone.check = func(s string) (string, bool) { return s, timezone.Find(s) != nil }
	zone.explain = func(s string) error {
		return sqlerr.New(sqlerr.UnknownTimeZone, "Unknown or incorrect time zone: '%s'", s).WithHint("It takes offsets such as +02:00 and names such as Europe/Berlin.")
	}
	return []Var{
		utf8mb4("character_set_client"), utf8mb4("character_set_connection"), utf8mb4("character_set_results"),
		utf8mb4("character_set_database"), utf8mb4("character_set_server"),
		connectionCollation(), text("collation_database", "utf8mb4_bin").fixed(),
		text("collation_server", "utf8mb4_bin").fixed(), text("default_collation_for_utf8mb4", "utf8mb4_bin").fixed(),
		zone,
		integer("auto_increment_increment", "1", 1, 1, "a number"), integer("auto_increment_offset", "1", 1, 1, "a number"),
		integer("div_precision_increment", "4", 0, types.MaxScale, "digits"), integer("default_week_format", "0", 0, 0, "a mode of WEEK"),
		text("default_storage_engine", "gsql").fixed(), text("default_tmp_storage_engine", "gsql").fixed(),
		text("lc_messages", "en_US").fixed(), text("lc_time_names", "en_US").fixed(),
		onOff("big_tables", false), onOff("explicit_defaults_for_timestamp", true).fixed(), onOff("profiling", false).fixed(),
		onOff("sql_auto_is_null", false).fixed(), onOff("sql_big_selects", true).fixed(), onOff("sql_quote_show_create", true).fixed(),
		onOff("sql_require_primary_key", false).fixed(), onOff("sql_warnings", false),
		seconds("interactive_timeout", "28800"), seconds("net_read_timeout", "30"), seconds("net_write_timeout", "60"),
		seconds("lock_wait_timeout", "31536000"), seconds("innodb_lock_wait_timeout", "50"),
		onOff("sql_log_bin", false), text("block_encryption_mode", "aes-128-ecb").fixed(),
		integer("information_schema_stats_expiry", "86400", 0, 31536000, "seconds"),
		integer("tmp_table_size", "16777216", 1024, math.MaxInt64, "bytes"), integer("max_heap_table_size", "16777216", 16384, math.MaxInt64, "bytes"),
		integer("sort_buffer_size", "262144", 32768, math.MaxInt64, "bytes"), integer("join_buffer_size", "262144", 128, math.MaxInt64, "bytes"),
		integer("read_buffer_size", "131072", 8192, math.MaxInt32, "bytes"),
		seconds("wait_timeout", "28800"), integer("net_buffer_length", "16384", 1024, 1<<20, "bytes"),
	}
}

// connectionCollation returns collation_connection. It accepts any UTF-8 collation, because
// clients set the one they prefer, but keeps its value.
func connectionCollation() Var {
	v := text("collation_connection", "utf8mb4_bin").stays("text compares by its bytes")
	v.Takes = "a collation of utf8mb4"
	v.check = func(s string) (string, bool) {
		s = strings.ToLower(s)
		return s, s == "" || strings.HasPrefix(s, "utf8") || s == "binary"
	}
	return v
}

// facts lists the read-only variables that describe this engine.
func facts() []Var {
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	global := func(name, value string, k Kind) Var { return fact(name, value, k).only(GlobalOnly) }
	session := func(name string) Var { return fact(name, "0", Integer).only(SessionOnly) }
	return []Var{
		session("pseudo_thread_id"), session("last_insert_id"), session("identity"), session("warning_count"), session("error_count"),
		fact("max_allowed_packet", "67108864", Integer),
		fact("max_error_count", "1024", Integer),
		global("character_set_system", "utf8mb4", Text),
		global("basedir", "", Text),
		global("datadir", "", Text),
		global("default_authentication_plugin", "", Text),
		global("event_scheduler", "OFF", Text),
		global("gtid_mode", "OFF", Text),
		global("have_openssl", "DISABLED", Text),
		global("innodb_buffer_pool_size", "0", Integer),
		global("innodb_file_per_table", "0", Switch),
		global("innodb_version", "", Text),
		global("key_buffer_size", "0", Integer),
		global("log_error", "", Text),
		global("open_files_limit", "0", Integer),
		global("pid_file", "", Text),
		global("plugin_dir", "", Text),
		global("require_secure_transport", "0", Switch),
		global("server_uuid", "", Text),
		global("table_open_cache", "0", Integer),
		global("thread_cache_size", "0", Integer),
		global("tls_version", "", Text),
		global("tmpdir", "", Text),
		global("general_log", "0", Switch),
		global("have_ssl", "DISABLED", Text),
		global("hostname", host, Text),
		global("init_connect", "", Text),
		global("innodb_read_only", "0", Switch),
		global("license", "Apache-2.0", Text),
		onOff("local_infile", true).only(GlobalOnly),
		global("log_bin", "0", Switch),
		global("lower_case_file_system", "0", Switch),
		global("lower_case_table_names", "2", Integer),
		global("max_connections", "100000", Integer),
		global("performance_schema", "0", Switch),
		global("port", "0", Integer),
		global("protocol_version", "10", Integer),
		global("read_only", "0", Switch),
		global("secure_file_priv", "", Text),
		global("server_id", "1", Integer),
		global("skip_networking", "1", Switch),
		global("slow_query_log", "0", Switch),
		global("socket", "", Text),
		global("super_read_only", "0", Switch),
		global("system_time_zone", "UTC", Text),
		global("version", "8.0.36-gsql", Text),
		global("version_comment", "gsql", Text),
		global("version_compile_machine", runtime.GOARCH, Text),
		global("version_compile_os", runtime.GOOS, Text),
	}
}
