package sysvar

import (
	"errors"
	"testing"

	"gsql/sql/sqlerr"
)

// TestDefaults checks that every settable variable can be set to its default.
func TestDefaults(t *testing.T) {
	for _, name := range Names() {
		v, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := v.Check(v.Default); err != nil && !errors.Is(err, sqlerr.SettingsError) || err == nil && got != v.Default {
			t.Errorf("%s: its default %q becomes %q, %v", name, v.Default, got, err)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, tt := range []struct {
		name, value, want string
		code              sqlerr.Code
	}{
		{"autocommit", "on", "1", 0},
		{"autocommit", "2", "", sqlerr.WrongValueForVar},
		{"gsql_memory_limit", "1 KB", "1024", 0},
		{"gsql_device", "CPU", "cpu", 0},
		{"sql_select_limit", "18446744073709551615", NoRowLimit, 0},
		{"sql_auto_is_null", "1", "", sqlerr.WrongValueForVar},
		{"character_set_client", "UTF8", "utf8mb4", 0},
		{"time_zone", "+02:00", "+02:00", 0}, {"time_zone", "+24:00", "", sqlerr.UnknownTimeZone},
		{"sql_mode", "nonsense", "", sqlerr.WrongValueForVar},
		{"div_precision_increment", "30", "30", 0},
		{"div_precision_increment", "31", "30", 0}, // MySQL: warning 1292
		{"div_precision_increment", " -1 ", "0", 0},
		{"group_concat_max_len", "1", "4", 0}, {"wait_timeout", "0", "1", 0}, {"information_schema_stats_expiry", "99999999", "31536000", 0}, // as in MySQL and MariaDB
		{"max_execution_time", "-1", "0", 0}, {"gsql_batch_size", "0", "", sqlerr.WrongValueForVar}, {"auto_increment_increment", "2", "", sqlerr.WrongValueForVar},
		{"div_precision_increment", "1.5", "", sqlerr.WrongValueForVar},
		{"version", "9", "", sqlerr.SettingsError},
		{"autocomit", "1", "", sqlerr.UnknownSystemVariable},
	} {
		got, err := Check(tt.name, tt.value)
		if got != tt.want || tt.code == 0 && err != nil || tt.code != 0 && !errors.Is(err, tt.code) {
			t.Errorf("%s = %s: %q, %v", tt.name, tt.value, got, err)
		}
	}
}

func TestScopes(t *testing.T) {
	for _, tt := range []struct {
		v      Var
		global bool
		code   sqlerr.Code
	}{
		{text("x", "").only(SessionOnly), true, sqlerr.LocalVariable},
		{text("x", "").only(GlobalOnly), false, sqlerr.GlobalVariable},
		{text("x", ""), true, 0},
		{text("x", ""), false, 0},
	} {
		if err := tt.v.InScope(tt.global); tt.code == 0 && err != nil || tt.code != 0 && !errors.Is(err, tt.code) {
			t.Errorf("%+v, global %v: %v", tt.v, tt.global, err)
		}
	}
}
