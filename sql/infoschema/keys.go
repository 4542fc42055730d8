package infoschema

import (
	"cmp"
	"slices"

	"gsql/sql/catalog"
)

func init() {
	define(Information, "STATISTICS", `TABLE_CATALOG varchar(64), TABLE_SCHEMA varchar(64), TABLE_NAME varchar(64), NON_UNIQUE int,
		INDEX_SCHEMA varchar(64), INDEX_NAME varchar(64), SEQ_IN_INDEX int unsigned, COLUMN_NAME varchar(64), COLLATION varchar(1),
		CARDINALITY bigint, SUB_PART bigint, PACKED binary(0), NULLABLE varchar(3), INDEX_TYPE varchar(11), COMMENT varchar(8),
		INDEX_COMMENT varchar(2048), IS_VISIBLE varchar(3), EXPRESSION longtext`, statistics)
	define(Information, "KEY_COLUMN_USAGE", `CONSTRAINT_CATALOG varchar(64), CONSTRAINT_SCHEMA varchar(64), CONSTRAINT_NAME varchar(64),
		TABLE_CATALOG varchar(64), TABLE_SCHEMA varchar(64), TABLE_NAME varchar(64), COLUMN_NAME varchar(64), ORDINAL_POSITION int unsigned,
		POSITION_IN_UNIQUE_CONSTRAINT int unsigned, REFERENCED_TABLE_SCHEMA varchar(64), REFERENCED_TABLE_NAME varchar(64),
		REFERENCED_COLUMN_NAME varchar(64)`, keyColumns)
	define(Information, "TABLE_CONSTRAINTS", `CONSTRAINT_CATALOG varchar(64), CONSTRAINT_SCHEMA varchar(64), CONSTRAINT_NAME varchar(64),
		TABLE_SCHEMA varchar(64), TABLE_NAME varchar(64), CONSTRAINT_TYPE varchar(11), ENFORCED varchar(3)`, constraints)
	define(Information, "REFERENTIAL_CONSTRAINTS", `CONSTRAINT_CATALOG varchar(64), CONSTRAINT_SCHEMA varchar(64), CONSTRAINT_NAME varchar(64),
		UNIQUE_CONSTRAINT_CATALOG varchar(64), UNIQUE_CONSTRAINT_SCHEMA varchar(64), UNIQUE_CONSTRAINT_NAME varchar(64),
		MATCH_OPTION varchar(7), UPDATE_RULE varchar(11), DELETE_RULE varchar(11), TABLE_NAME varchar(64), REFERENCED_TABLE_NAME varchar(64)`, references)
	define(Information, "CHECK_CONSTRAINTS", `CONSTRAINT_CATALOG varchar(64), CONSTRAINT_SCHEMA varchar(64), CONSTRAINT_NAME varchar(64),
		CHECK_CLAUSE longtext`, checks)
}

// keys returns a table's keys in the order of SHOW INDEX: the primary key, unique keys, other
// keys.
func keys(schema *catalog.Schema) []catalog.Index {
	rank := func(x catalog.Index) int {
		switch {
		case x.Primary:
			return 0
		case x.Unique:
			return 1
		}
		return 2
	}
	out := slices.Clone(schema.Indexes)
	slices.SortStableFunc(out, func(a, b catalog.Index) int { return rank(a) - rank(b) })
	return out
}

func statistics(s *scan) error {
	return s.stored(func(o *object, schema *catalog.Schema) {
		for _, x := range keys(schema) {
			nonUnique := 1
			if x.Unique {
				nonUnique = 0
			}
			for i, c := range x.Columns {
				nullable := "YES"
				if schema.Columns[c].NotNull {
					nullable = ""
				}
				var part any
				if x.Prefix != nil && x.Prefix[i] > 0 {
					part = x.Prefix[i]
				}
				distinct := lazy(func() any { return cardinality(o.table, x, i+1) })
				s.add("def", o.db, o.name, nonUnique, o.db, x.Name, i+1, schema.Columns[c].Name, "A", distinct, part, nil, nullable,
					"BTREE", "", x.Comment, "YES", nil)
			}
		}
	})
}

// cardinality estimates the number of distinct values of the first n columns of a key.
func cardinality(t catalog.Table, x catalog.Index, n int) any {
	stats := t.Stats()
	if x.Unique && n == len(x.Columns) {
		return stats.Rows
	}
	if len(stats.Columns) == 0 {
		return nil
	}
	distinct := float64(1)
	for _, c := range x.Columns[:n] {
		values := stats.Columns[c].NDV + min(stats.Columns[c].Nulls, 1) // NULL counts as one value
		distinct *= float64(max(values, 1))
	}
	return int64(min(distinct, float64(stats.Rows)))
}

func keyColumns(s *scan) error {
	return s.stored(func(o *object, schema *catalog.Schema) {
		for _, x := range keys(schema) {
			if !x.Unique {
				continue
			}
			for i, c := range x.Columns {
				s.add("def", o.db, x.Name, "def", o.db, o.name, schema.Columns[c].Name, i+1, nil, nil, nil, nil)
			}
		}
		for _, f := range schema.ForeignKeys {
			for i, c := range f.Columns {
				var other any
				if i < len(f.RefColumns) {
					other = f.RefColumns[i]
				}
				s.add("def", o.db, f.Name, "def", o.db, o.name, c, i+1, i+1, cmp.Or(f.DB, o.db), f.Table, other)
			}
		}
	})
}

func constraints(s *scan) error {
	return s.stored(func(o *object, schema *catalog.Schema) {
		for _, x := range keys(schema) {
			switch {
			case x.Primary:
				s.add("def", o.db, x.Name, o.db, o.name, "PRIMARY KEY", "YES")
			case x.Unique:
				s.add("def", o.db, x.Name, o.db, o.name, "UNIQUE", "YES")
			}
		}
		for _, f := range schema.ForeignKeys {
			s.add("def", o.db, f.Name, o.db, o.name, "FOREIGN KEY", "NO")
		}
		for _, c := range schema.Checks {
			s.add("def", o.db, c.Name, o.db, o.name, "CHECK", yesNo(!c.NotEnforced))
		}
	})
}

func checks(s *scan) error {
	return s.stored(func(o *object, schema *catalog.Schema) {
		for _, c := range schema.Checks {
			s.add("def", o.db, c.Name, c.Expr)
		}
	})
}

func references(s *scan) error {
	return s.stored(func(o *object, schema *catalog.Schema) {
		for _, f := range schema.ForeignKeys {
			db := cmp.Or(f.DB, o.db)
			s.add("def", o.db, f.Name, "def", db, lazy(func() any { return s.referenced(db, &f) }), "NONE", cmp.Or(f.OnUpdate, "NO ACTION"), cmp.Or(f.OnDelete, "NO ACTION"), o.name, f.Table)
		}
	})
}

// referenced returns the name of the key that a foreign key refers to, or NULL if the other table
// has no unique key on its columns.
func (s *scan) referenced(db string, f *catalog.ForeignKey) any {
	o, err := s.object(db, f.Table)
	if err != nil || o.table == nil {
		return nil
	}
	schema := o.table.Schema()
	for _, x := range keys(schema) {
		same := x.Unique && len(x.Columns) == len(f.RefColumns)
		for i := 0; same && i < len(x.Columns); i++ {
			same = catalog.EqualFold(schema.Columns[x.Columns[i]].Name, f.RefColumns[i])
		}
		if same {
			return x.Name
		}
	}
	return nil
}
