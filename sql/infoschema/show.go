package infoschema

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/catalog"
)

// Shown is the query that implements a SHOW statement.
type Shown struct {
	Query *ast.SelectStmt // without the statement's WHERE or LIKE; the columns have SHOW's names
	Like  string          // the column that LIKE compares
	// Source is the table that Query reads under the name Source. It is nil if Query reads no
	// such table, and for SHOW COLUMNS and SHOW INDEX, whose caller finds the table: see
	// ColumnsOf.
	Source catalog.Table
}

// Source is the name of a table that only the query of a SHOW statement or of a load can read,
// because SQL text cannot contain the name.
const Source = "\x00source"

// Show returns the query for SHOW statements that return lists; ok is false for others. db is the
// database that the statement refers to.
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
	q.Query = &ast.SelectStmt{
		SelectStmtOpts: &ast.SelectStmtOpts{SQLCache: true}, Kind: ast.SelectStmtKindSelect,
		Fields: s.fields(columns), From: fromTable(s.table(n.GlobalScope)),
	}
	q.Like = s.like
	if n.Tp == ast.ShowPrivileges {
		q.Source = newTable(privilegesTable, nil)
	}
	switch {
	case n.Tp == ast.ShowTables:
		q.Like = tablesIn(n, db)
	case q.Like == "":
		q.Like, _, _ = strings.Cut(columns, "=")
	}
	if s.empty {
		q.Query.Where = number(0)
	}
	if column, value, ok := strings.Cut(s.only, "="); ok {
		q.Query.Where = equals(column, value)
	}
	if s.inDB != "" && (db != "" && n.Tp != ast.ShowOpenTables || n.DBName != "") {
		q.Query.Where = and(q.Query.Where, equals(s.inDB, db))
	}
	return q, true
}

// tablesIn returns the column name of SHOW TABLES.
func tablesIn(n *ast.ShowStmt, db string) string {
	name := "Tables_in_" + db
	if n.Pattern != nil {
		if v, ok := n.Pattern.Pattern.(ast.ValueExpr); ok {
			name += " (" + v.GetString() + ")"
		}
	}
	return name
}

// shape describes how the rows of a virtual table become the result of a SHOW statement.
type shape struct {
	from     string                         // database.table; "" means Source
	global   string                         // the table that SHOW GLOBAL reads
	columns  string                         // name=column;...
	full     string                         // likewise, for SHOW FULL
	computed map[string]func() ast.ExprNode // expressions of columns without =
	like     string                         // the column that LIKE compares; by default the first
	inDB     string                         // the column that FROM db compares
	only     string                         // column=value of the rows to list; "" means all
	empty    bool                           // lists no rows
}

// table returns the database and the name of the table to read.
func (s shape) table(global bool) (db, name string) {
	from := s.from
	if global && s.global != "" {
		from = s.global
	}
	if from == "" {
		return "", Source
	}
	db, name, _ = strings.Cut(from, ".")
	return db, name
}

// fields returns the select list for columns.
func (s shape) fields(columns string) *ast.FieldList {
	list := &ast.FieldList{}
	for c := range strings.SplitSeq(columns, ";") {
		name, value, isColumn := strings.Cut(c, "=")
		var e ast.ExprNode
		switch {
		case isColumn:
			e = columnNamed(value)
		case s.empty:
			e = number(1)
		default:
			e = s.computed[name]()
		}
		list.Fields = append(list.Fields, &ast.SelectField{Expr: e, AsName: ast.NewCIStr(name)})
	}
	return list
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
	ast.ShowOpenTables: {from: "information_schema.TABLES", inDB: "TABLE_SCHEMA", only: "TABLE_TYPE=BASE TABLE",
		columns: "Database=TABLE_SCHEMA;Table=TABLE_NAME;In_use;Name_locked", like: "Table",
		computed: map[string]func() ast.ExprNode{"In_use": zero, "Name_locked": zero}},
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
		columns:  "Id=ID;User=USER;Host=HOST;db=DB;Command=COMMAND;Time=TIME;State=STATE;Info",
		computed: map[string]func() ast.ExprNode{"Info": func() ast.ExprNode { return call("LEFT", columnNamed("INFO"), number(100)) }},
		full:     "Id=ID;User=USER;Host=HOST;db=DB;Command=COMMAND;Time=TIME;State=STATE;Info=INFO"},
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
	ast.ShowProcedureStatus: {from: "information_schema.ROUTINES", columns: routineColumns, like: "Name", only: "ROUTINE_TYPE=PROCEDURE"},
	ast.ShowFunctionStatus:  {from: "information_schema.ROUTINES", columns: routineColumns, like: "Name", only: "ROUTINE_TYPE=FUNCTION"},
	ast.ShowPrivileges:      {columns: "Privilege=PRIVILEGE;Context=CONTEXT;Comment=COMMENT"},
	ast.ShowMasterStatus:    nothing("File;Position;Binlog_Do_DB;Binlog_Ignore_DB;Executed_Gtid_Set"),
	ast.ShowBinlogStatus:    nothing("File;Position;Binlog_Do_DB;Binlog_Ignore_DB;Executed_Gtid_Set"),
	ast.ShowProfiles:        nothing("Query_ID;Duration;Query"),
}

// nothing returns the shape of a list that is always empty.
func nothing(columns string) shape {
	return shape{from: "information_schema.ENGINES", columns: columns, empty: true}
}

// ColumnsOf returns a table with the rows of COLUMNS for one table, view or file, for SHOW
// COLUMNS.
func ColumnsOf(inv Inventory, db, name string, o catalog.Object) catalog.Table {
	return about(inv, "COLUMNS", db, name, o)
}

// KeysOf returns a table with the rows of STATISTICS for one table, for SHOW INDEX.
func KeysOf(inv Inventory, db, name string, o catalog.Object) catalog.Table {
	return about(inv, "STATISTICS", db, name, o)
}

func about(inv Inventory, what, db, name string, o catalog.Object) catalog.Table {
	t := newTable(byName[Information][what], inv)
	t.only = &object{db: db, name: name, table: o.Table, view: o.View}
	return t
}
