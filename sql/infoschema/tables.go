package infoschema

import (
	"fmt"
	"strings"

	"gsql/sql/catalog"
)

func init() {
	define(Information, "SCHEMATA", `CATALOG_NAME varchar(64), SCHEMA_NAME varchar(64), DEFAULT_CHARACTER_SET_NAME varchar(64),
		DEFAULT_COLLATION_NAME varchar(64), SQL_PATH binary(0), DEFAULT_ENCRYPTION varchar(3)`, schemata)
	define(Information, "TABLES", `TABLE_CATALOG varchar(64), TABLE_SCHEMA varchar(64), TABLE_NAME varchar(64), TABLE_TYPE varchar(11),
		ENGINE varchar(64), VERSION int, ROW_FORMAT varchar(10), TABLE_ROWS bigint unsigned, AVG_ROW_LENGTH bigint unsigned,
		DATA_LENGTH bigint unsigned, MAX_DATA_LENGTH bigint unsigned, INDEX_LENGTH bigint unsigned, DATA_FREE bigint unsigned,
		AUTO_INCREMENT bigint unsigned, CREATE_TIME timestamp, UPDATE_TIME datetime, CHECK_TIME datetime, TABLE_COLLATION varchar(64),
		CHECKSUM bigint, CREATE_OPTIONS varchar(256), TABLE_COMMENT text`, tables)
	define(Information, "VIEWS", `TABLE_CATALOG varchar(64), TABLE_SCHEMA varchar(64), TABLE_NAME varchar(64), VIEW_DEFINITION longtext,
		CHECK_OPTION varchar(8), IS_UPDATABLE varchar(3), DEFINER varchar(288), SECURITY_TYPE varchar(7), CHARACTER_SET_CLIENT varchar(64),
		COLLATION_CONNECTION varchar(64)`, views)
	define(Information, "PARTITIONS", `TABLE_CATALOG varchar(64), TABLE_SCHEMA varchar(64), TABLE_NAME varchar(64), PARTITION_NAME varchar(64),
		SUBPARTITION_NAME varchar(64), PARTITION_ORDINAL_POSITION int unsigned, SUBPARTITION_ORDINAL_POSITION int unsigned,
		PARTITION_METHOD varchar(13), SUBPARTITION_METHOD varchar(13), PARTITION_EXPRESSION varchar(2048), SUBPARTITION_EXPRESSION varchar(2048),
		PARTITION_DESCRIPTION text, TABLE_ROWS bigint unsigned, AVG_ROW_LENGTH bigint unsigned, DATA_LENGTH bigint unsigned,
		MAX_DATA_LENGTH bigint unsigned, INDEX_LENGTH bigint unsigned, DATA_FREE bigint unsigned, CREATE_TIME timestamp, UPDATE_TIME datetime,
		CHECK_TIME datetime, CHECKSUM bigint, PARTITION_COMMENT text, NODEGROUP varchar(256), TABLESPACE_NAME varchar(268)`, partitions)
}

func schemata(s *scan) error {
	for _, db := range s.databases("SCHEMA_NAME") {
		coll := Collation
		if !Is(db) {
			coll = s.t.inv.Collation(db).String()
		}
		s.add("def", db, Charset, coll, nil, "NO")
	}
	return nil
}

func tables(s *scan) error {
	return s.objects(func(o *object) error {
		switch {
		case o.view != nil:
			s.add("def", o.db, o.name, "VIEW", nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil,
				lazy(func() any { return s.viewComment(o) }))
		case Is(o.db):
			s.add("def", o.db, o.name, "SYSTEM VIEW", nil, 10, nil, 0, 0, 0, 0, 0, 0, nil, nil, nil, nil, nil, nil, "", "")
		default:
			sum := summary(o.table)
			s.add("def", o.db, o.name, "BASE TABLE", Engine, 10, nil, sum.rows, sum.average, sum.bytes, 0, 0, 0,
				nextID(o.table, sum.next), sum.created, nil, nil, o.table.Schema().Coll.String(), nil, createOptions(o.table.Schema()), o.table.Schema().Comment)
		}
		return nil
	})
}

// createOptions returns CREATE_OPTIONS.
func createOptions(schema *catalog.Schema) string {
	var options []string
	if by := schema.Compression; by != catalog.DefaultCompression {
		options = append(options, `COMPRESSION="`+by.String()+`"`)
	}
	if schema.Cached {
		options = append(options, "cached=on")
	}
	return strings.Join(options, " ")
}

// viewComment returns the TABLE_COMMENT of a view.
func (s *scan) viewComment(o *object) string {
	if _, err := s.t.inv.ViewSchema(s.ctx, o.view); err != nil {
		return fmt.Sprintf("View '%s.%s' references invalid table(s) or column(s) or function(s) or definer/invoker of view lack rights to use them", o.db, o.name)
	}
	return "VIEW"
}

// sizes holds a table's summary as cells; unknown values are NULL.
type sizes struct{ rows, average, bytes, next, created any }

func summary(t catalog.Table) sizes {
	with, ok := t.(catalog.Summarizer)
	if !ok {
		return sizes{}
	}
	s := with.Summary()
	return sizes{rows: s.Rows, average: s.Bytes / max(s.Rows, 1), bytes: s.Bytes, next: s.NextID, created: s.Created}
}

// nextID returns the next AUTO_INCREMENT value of a table that has such a column, else NULL.
func nextID(t catalog.Table, next any) any {
	for _, c := range t.Schema().Columns {
		if c.AutoInc {
			return next
		}
	}
	return nil
}

func views(s *scan) error {
	return s.objects(func(o *object) error {
		if o.view != nil {
			s.add("def", o.db, o.name, o.view.SQL, "NONE", "NO", "gsql@localhost", "DEFINER", Charset, Collation)
		}
		return nil
	})
}

// partitions adds one row per table, as MySQL does for tables without partitions.
func partitions(s *scan) error {
	return s.stored(func(o *object, _ *catalog.Schema) {
		sum := summary(o.table)
		s.add("def", o.db, o.name, nil, nil, nil, nil, nil, nil, nil, nil, nil, sum.rows, sum.average, sum.bytes, 0, 0, 0, sum.created,
			nil, nil, nil, "", "", nil)
	})
}
