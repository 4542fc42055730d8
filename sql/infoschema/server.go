package infoschema

import (
	"github.com/pingcap/tidb/pkg/parser"

	"gsql/sql/types"
)

func init() {
	define(Information, "CHARACTER_SETS", `CHARACTER_SET_NAME varchar(64), DEFAULT_COLLATE_NAME varchar(64), DESCRIPTION varchar(2048),
		MAXLEN int unsigned`, fixed([]any{"binary", "binary", "Binary pseudo charset", 1}, []any{Charset, Collation, "UTF-8 Unicode", 4}))
	define(Information, "COLLATIONS", `COLLATION_NAME varchar(64), CHARACTER_SET_NAME varchar(64), ID bigint unsigned, IS_DEFAULT varchar(3),
		IS_COMPILED varchar(3), SORTLEN int unsigned, PAD_ATTRIBUTE varchar(9)`,
		collations)
	define(Information, "COLLATION_CHARACTER_SET_APPLICABILITY", `COLLATION_NAME varchar(64), CHARACTER_SET_NAME varchar(64)`,
		func(s *scan) error {
			s.add("binary", "binary")
			for _, c := range types.Collations() {
				s.add(c.String(), Charset)
			}
			return nil
		})
	define(Information, "ENGINES", `ENGINE varchar(64), SUPPORT varchar(8), COMMENT varchar(80), TRANSACTIONS varchar(3), XA varchar(3),
		SAVEPOINTS varchar(3)`, fixed([]any{Engine, "DEFAULT", "Columnar tables in memory, snapshots for readers", "YES", "NO", "YES"}))
	define(Information, "KEYWORDS", `WORD varchar(128), RESERVED int`, keywords)
	define(Information, "PROCESSLIST", `ID bigint unsigned, USER varchar(32), HOST varchar(261), DB varchar(64), COMMAND varchar(16), TIME int,
		STATE varchar(64), INFO longtext`, processes)
	define(Information, "GSQL_PLACEMENT", `DEVICE varchar(64), OPERATOR varchar(64), RUNS bigint unsigned, FELL_BACK bigint unsigned,
		LAST_REASON varchar(2048)`, placements)
	define(Information, "GSQL_RESIDENT", `DEVICE varchar(64), TABLE_NAME varchar(64), COLUMN_NAME varchar(64), TABLE_VERSION bigint unsigned,
		FORM varchar(64), TABLE_ROWS bigint unsigned, BYTES bigint unsigned, HOST_BYTES bigint unsigned, LAST_USED datetime, STAYS varchar(3)`, residents)
	define(Performance, "global_variables", `VARIABLE_NAME varchar(64), VARIABLE_VALUE varchar(1024)`, variables(true))
	define(Performance, "session_variables", `VARIABLE_NAME varchar(64), VARIABLE_VALUE varchar(1024)`, variables(false))
	define(Performance, "global_status", `VARIABLE_NAME varchar(64), VARIABLE_VALUE varchar(1024)`, status)
	define(Performance, "session_status", `VARIABLE_NAME varchar(64), VARIABLE_VALUE varchar(1024)`, status)
}

// collationNumbers holds MySQL's Id and Sortlen of collations.
var collationNumbers = map[types.Collation][2]int{types.Bin: {46, 1}, types.GeneralCI: {45, 1}, types.UnicodeCI: {224, 8},
	types.UCA: {255, 0}, types.UCAAccents: {305, 0}, types.UCACase: {278, 0}}

func collations(s *scan) error {
	s.add("binary", "binary", 63, "Yes", "Yes", 1, "NO PAD")
	for _, c := range types.Collations() {
		byDefault, pad := "", "NO PAD"
		if c == types.Bin {
			byDefault = "Yes"
		}
		if c.PadSpace() {
			pad = "PAD SPACE"
		}
		n := collationNumbers[c]
		s.add(c.String(), Charset, n[0], byDefault, "Yes", n[1], pad)
	}
	return nil
}

// fixed returns a function that adds constant rows to a table.
func fixed(rows ...[]any) func(*scan) error {
	return func(s *scan) error {
		for _, row := range rows {
			s.add(row...)
		}
		return nil
	}
}

func keywords(s *scan) error {
	for _, k := range parser.Keywords {
		reserved := 0
		if k.Reserved {
			reserved = 1
		}
		if k.Section != "tidb" {
			s.add(k.Word, reserved)
		}
	}
	return nil
}

func placements(s *scan) error {
	for _, p := range s.t.inv.Placements() {
		s.add(orNull(p.Device), orNull(p.Operator), p.Runs, p.FellBack, orNull(p.LastReason))
	}
	return nil
}

func residents(s *scan) error {
	for _, r := range s.t.inv.Residents() {
		s.add(r.Device, r.Table, r.Column, r.Version, r.Form, r.Rows, r.Bytes, r.HostBytes, r.Used.UnixMicro(), yesNo(r.Stays))
	}
	return nil
}

func processes(s *scan) error {
	for _, p := range s.t.inv.Processes() {
		s.add(p.ID, p.User, p.Host, orNull(p.DB), p.Command, p.Seconds, p.State, orNull(p.Info))
	}
	return nil
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func variables(global bool) func(*scan) error {
	return func(s *scan) error {
		for _, v := range s.t.inv.Variables(global) {
			var value any = v.Value
			if v.Null {
				value = nil
			}
			s.add(v.Name, value)
		}
		return nil
	}
}

func status(s *scan) error {
	for _, v := range s.t.inv.Status() {
		s.add(v.Name, v.Value)
	}
	return nil
}
