package infoschema

import (
	"fmt"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/catalog"
)

// Shown is the query that a SHOW statement stands for.
type Shown struct {
	Query string // a SELECT without WHERE, whose columns have the names SHOW gives them
	Like  string // the column that LIKE is about
	// Source is what Query reads under the name Source; nil where there is no such thing,
	// and for SHOW COLUMNS and SHOW INDEX, whose caller finds the table: see ColumnsOf.
	Source catalog.Table
}

// Source is the name of a table that only a SHOW statement's query can read.
const Source = "shown_source"

// Show gives the query for SHOW statements that list things; ok is false for others. db
// is the database that the statement means.
func Show(n *ast.ShowStmt, db string) (q Shown, ok bool) {
	s, ok := shapes[n.Tp]
	if !ok {
		return Shown{}, false
	}
	columns := s.columns
	if n.Full && s.full != "" {
		columns = s.full
	}
	if n.Tp == ast.ShowTables {
		columns = strings.ReplaceAll(columns, "TABLES_IN", tablesIn(n, db))
	}
	from := s.from
	switch {
	case s.global != "" && n.GlobalScope:
		from = s.global
	case from == "":
		from = Source
	}
	q = Shown{Query: "SELECT " + aliased(columns) + " FROM " + from, Like: s.like}
	if n.Tp == ast.ShowPrivileges {
		q.Source = newTable(privilegesTable, nil)
	}
	switch {
	case n.Tp == ast.ShowTables:
		q.Like = tablesIn(n, db)
	case q.Like == "":
		q.Like, _, _ = strings.Cut(columns, "=")
	}
	switch {
	case s.inDB != "" && (db != "" && n.Tp != ast.ShowOpenTables || n.DBName != ""):
		q.Query += fmt.Sprintf(" WHERE %s = %s", s.inDB, literal(db))
	case s.where != "":
		q.Query += " WHERE " + s.where
	}
	return q, true
}

// tablesIn is what SHOW TABLES calls its column.
func tablesIn(n *ast.ShowStmt, db string) string {
	name := "Tables_in_" + db
	if n.Pattern != nil {
		if v, ok := n.Pattern.Pattern.(ast.ValueExpr); ok {
			name += " (" + v.GetString() + ")"
		}
	}
	return name
}

// shape is how a SHOW statement is made of a virtual table.
type shape struct {
	from    string // "" for Source
	global  string // what SHOW GLOBAL reads
	columns string // name=expression;...
	full    string // the same for SHOW FULL
	like    string // what LIKE is about, the first column by default
	inDB    string // the column that FROM db is about
	where   string
}

const routineColumns = "Db=ROUTINE_SCHEMA;Name=ROUTINE_NAME;Type=ROUTINE_TYPE;Definer=DEFINER;Modified=LAST_ALTERED;Created=CREATED;" +
	"Security_type=SECURITY_TYPE;Comment=ROUTINE_COMMENT;character_set_client=CHARACTER_SET_CLIENT;" +
	"collation_connection=COLLATION_CONNECTION;Database Collation=DATABASE_COLLATION"

var shapes = map[ast.ShowStmtType]shape{
	ast.ShowDatabases: {from: "information_schema.SCHEMATA", columns: "Database=SCHEMA_NAME"},
	ast.ShowTables: {from: "information_schema.TABLES", inDB: "TABLE_SCHEMA", columns: "TABLES_IN=TABLE_NAME",
		full: "TABLES_IN=TABLE_NAME;Table_type=TABLE_TYPE"},
	ast.ShowTableStatus: {from: "information_schema.TABLES", inDB: "TABLE_SCHEMA",
		columns: "Name=TABLE_NAME;Engine=ENGINE;Version=VERSION;Row_format=ROW_FORMAT;Rows=TABLE_ROWS;Avg_row_length=AVG_ROW_LENGTH;" +
			"Data_length=DATA_LENGTH;Max_data_length=MAX_DATA_LENGTH;Index_length=INDEX_LENGTH;Data_free=DATA_FREE;" +
			"Auto_increment=AUTO_INCREMENT;Create_time=CREATE_TIME;Update_time=UPDATE_TIME;Check_time=CHECK_TIME;" +
			"Collation=TABLE_COLLATION;Checksum=CHECKSUM;Create_options=CREATE_OPTIONS;Comment=TABLE_COMMENT"},
	ast.ShowOpenTables: {from: "information_schema.TABLES", inDB: "TABLE_TYPE = 'BASE TABLE' AND TABLE_SCHEMA", where: "TABLE_TYPE = 'BASE TABLE'",
		columns: "Database=TABLE_SCHEMA;Table=TABLE_NAME;In_use=0;Name_locked=0", like: "Table"},
	ast.ShowColumns: {columns: "Field=COLUMN_NAME;Type=COLUMN_TYPE;Null=IS_NULLABLE;Key=COLUMN_KEY;Default=COLUMN_DEFAULT;Extra=EXTRA",
		full: "Field=COLUMN_NAME;Type=COLUMN_TYPE;Collation=COLLATION_NAME;Null=IS_NULLABLE;Key=COLUMN_KEY;Default=COLUMN_DEFAULT;" +
			"Extra=EXTRA;Privileges=PRIVILEGES;Comment=COLUMN_COMMENT"},
	ast.ShowIndex: {columns: "Table=TABLE_NAME;Non_unique=NON_UNIQUE;Key_name=INDEX_NAME;Seq_in_index=SEQ_IN_INDEX;" +
		"Column_name=COLUMN_NAME;Collation=COLLATION;Cardinality=CARDINALITY;Sub_part=SUB_PART;Packed=PACKED;Null=NULLABLE;" +
		"Index_type=INDEX_TYPE;Comment=COMMENT;Index_comment=INDEX_COMMENT;Visible=IS_VISIBLE;Expression=EXPRESSION"},
	ast.ShowEngines: {from: "information_schema.ENGINES",
		columns: "Engine=ENGINE;Support=SUPPORT;Comment=COMMENT;Transactions=TRANSACTIONS;XA=XA;Savepoints=SAVEPOINTS"},
	ast.ShowCharset: {from: "information_schema.CHARACTER_SETS",
		columns: "Charset=CHARACTER_SET_NAME;Description=DESCRIPTION;Default collation=DEFAULT_COLLATE_NAME;Maxlen=MAXLEN"},
	ast.ShowCollation: {from: "information_schema.COLLATIONS",
		columns: "Collation=COLLATION_NAME;Charset=CHARACTER_SET_NAME;Id=ID;Default=IS_DEFAULT;Compiled=IS_COMPILED;Sortlen=SORTLEN;Pad_attribute=PAD_ATTRIBUTE"},
	ast.ShowVariables: {from: "performance_schema.session_variables", global: "performance_schema.global_variables",
		columns: "Variable_name=VARIABLE_NAME;Value=VARIABLE_VALUE"},
	ast.ShowStatus: {from: "performance_schema.session_status", global: "performance_schema.global_status",
		columns: "Variable_name=VARIABLE_NAME;Value=VARIABLE_VALUE"},
	ast.ShowProcessList: {from: "information_schema.PROCESSLIST",
		columns: "Id=ID;User=USER;Host=HOST;db=DB;Command=COMMAND;Time=TIME;State=STATE;Info=LEFT(INFO, 100)",
		full:    "Id=ID;User=USER;Host=HOST;db=DB;Command=COMMAND;Time=TIME;State=STATE;Info=INFO"},
	ast.ShowPlugins: {from: "information_schema.PLUGINS",
		columns: "Name=PLUGIN_NAME;Status=PLUGIN_STATUS;Type=PLUGIN_TYPE;Library=PLUGIN_LIBRARY;License=PLUGIN_LICENSE"},
	ast.ShowTriggers: {from: "information_schema.TRIGGERS", inDB: "TRIGGER_SCHEMA", like: "Table",
		columns: "Trigger=TRIGGER_NAME;Event=EVENT_MANIPULATION;Table=EVENT_OBJECT_TABLE;Statement=ACTION_STATEMENT;Timing=ACTION_TIMING;" +
			"Created=CREATED;sql_mode=SQL_MODE;Definer=DEFINER;character_set_client=CHARACTER_SET_CLIENT;" +
			"collation_connection=COLLATION_CONNECTION;Database Collation=DATABASE_COLLATION"},
	ast.ShowEvents: {from: "information_schema.EVENTS", inDB: "EVENT_SCHEMA", like: "Name",
		columns: "Db=EVENT_SCHEMA;Name=EVENT_NAME;Definer=DEFINER;Time zone=TIME_ZONE;Type=EVENT_TYPE;Execute at=EXECUTE_AT;" +
			"Interval value=INTERVAL_VALUE;Interval field=INTERVAL_FIELD;Starts=STARTS;Ends=ENDS;Status=STATUS;Originator=ORIGINATOR;" +
			"character_set_client=CHARACTER_SET_CLIENT;collation_connection=COLLATION_CONNECTION;Database Collation=DATABASE_COLLATION"},
	ast.ShowProcedureStatus: {from: "information_schema.ROUTINES", columns: routineColumns, like: "Name", where: "ROUTINE_TYPE = 'PROCEDURE'"},
	ast.ShowFunctionStatus:  {from: "information_schema.ROUTINES", columns: routineColumns, like: "Name", where: "ROUTINE_TYPE = 'FUNCTION'"},
	ast.ShowPrivileges:      {columns: "Privilege=PRIVILEGE;Context=CONTEXT;Comment=COMMENT"},
	ast.ShowMasterStatus:    nothing("File;Position;Binlog_Do_DB;Binlog_Ignore_DB;Executed_Gtid_Set"),
	ast.ShowBinlogStatus:    nothing("File;Position;Binlog_Do_DB;Binlog_Ignore_DB;Executed_Gtid_Set"),
	ast.ShowProfiles:        nothing("Query_ID;Duration;Query"),
}

// nothing is the shape of a list that is always empty.
func nothing(columns string) shape {
	return shape{from: "(SELECT 1 AS one) AS t", columns: strings.ReplaceAll(columns, ";", "=one;") + "=one", where: "FALSE"}
}

// aliased writes name=expression;... as a select list.
func aliased(columns string) string {
	var list []string
	for c := range strings.SplitSeq(columns, ";") {
		name, value, _ := strings.Cut(c, "=")
		list = append(list, value+" AS "+quoted(name))
	}
	return strings.Join(list, ", ")
}

func quoted(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

func literal(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(text) + "'"
}

// ColumnsOf gives the rows of COLUMNS that tell of one table or view, a file too, for
// SHOW COLUMNS.
func ColumnsOf(inv Inventory, db, name string, o catalog.Object) catalog.Table {
	return about(inv, "COLUMNS", db, name, o)
}

// KeysOf gives the rows of STATISTICS that tell of one table, for SHOW INDEX.
func KeysOf(inv Inventory, db, name string, o catalog.Object) catalog.Table {
	return about(inv, "STATISTICS", db, name, o)
}

func about(inv Inventory, what, db, name string, o catalog.Object) catalog.Table {
	t := newTable(byName[Information][what], inv)
	t.only = &object{db: db, name: name, table: o.Table, view: o.View}
	return t
}
