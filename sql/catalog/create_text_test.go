package catalog

import (
	"testing"

	"gsql/sql/types"
)

// TestCreateTable compares with the output of SHOW CREATE TABLE in MySQL 8.
func TestCreateTable(t *testing.T) {
	text := func(s string) *string { return &s }
	s := Schema{
		Columns: []Column{
			{Name: "id", Type: types.T(types.Int32), NotNull: true, AutoInc: true},
			{Name: "c", Type: types.Type{ID: types.String, Len: 3}, Declared: "char(3)", Default: text("it's"), Comment: "x"},
			{Name: "t", Type: types.Type{ID: types.Datetime, Prec: 3}, Default: text("CURRENT_TIMESTAMP"), OnUpdateNow: true},
			{Name: "g", Type: types.T(types.Int64), Generated: "(`id` + 1)", Stored: true},
			{Name: "d", Type: types.T(types.Int32), Default: text("(1 + 2)"), DefaultExpr: true},
			{Name: "b", Type: types.T(types.String)},
		},
		Indexes: []Index{
			{Name: "PRIMARY", Columns: []int{0}, Unique: true, Primary: true}, {Name: "u", Columns: []int{1, 4}, Unique: true},
			{Name: "k", Columns: []int{5, 1}, Prefix: []int{10, 0}, Comment: "y"},
		},
		Checks:      []Check{{Name: "positive", Expr: "(`id` > 0)"}, {Name: "t_chk_1", Expr: "(`d` < 9)", NotEnforced: true}},
		ForeignKeys: []ForeignKey{{Name: "f", Columns: []string{"d", "g"}, Table: "p", RefColumns: []string{"x", "y"}, OnDelete: "CASCADE", OnUpdate: "NO ACTION"}},
		Comment:     "all",
	}
	const want = "CREATE TABLE `t` (\n" +
		"  `id` int NOT NULL AUTO_INCREMENT,\n" +
		"  `c` char(3) DEFAULT 'it''s' COMMENT 'x',\n" +
		"  `t` datetime(3) DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3),\n" +
		"  `g` bigint GENERATED ALWAYS AS ((`id` + 1)) STORED,\n" +
		"  `d` int DEFAULT ((1 + 2)),\n" +
		"  `b` text,\n" +
		"  PRIMARY KEY (`id`),\n" +
		"  UNIQUE KEY `u` (`c`,`d`),\n" +
		"  KEY `k` (`b`(10),`c`) COMMENT 'y',\n" +
		"  CONSTRAINT `f` FOREIGN KEY (`d`, `g`) REFERENCES `p` (`x`, `y`) ON DELETE CASCADE,\n" +
		"  CONSTRAINT `positive` CHECK ((`id` > 0)),\n" +
		"  CONSTRAINT `t_chk_1` CHECK ((`d` < 9)) /*!80016 NOT ENFORCED */\n" +
		") ENGINE=x AUTO_INCREMENT=7 DEFAULT CHARSET=y COMMENT='all'"
	if got := s.CreateTable("t", 7, "ENGINE=x DEFAULT CHARSET=y"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
