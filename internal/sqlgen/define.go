package sqlgen

import "fmt"

// Define returns a random statement that defines something, or that reads definitions, settings or
// transactions. Many fail, because names are taken or missing.
func (g *Gen) Define() *Node {
	g.aliases, g.ctes = 0, nil
	name := func() string { return one(g, "n0", "n1", "v0", "t0", "t1") }
	query := func() *Node { return g.block(nil, 1, nil).Node() }
	switch g.R.IntN(16) {
	case 0, 1, 2:
		return N("", "CREATE"+one(g, "", "", " TEMPORARY")+" TABLE$ "+name()+" ($)", opt(" IF NOT EXISTS"), g.definitions())
	case 3:
		return N("", "CREATE TABLE "+name()+one(g, " AS ", " ")+"$", query())
	case 4:
		return N("", "CREATE"+one(g, "", " OR REPLACE")+" VIEW "+one(g, "v0", "v1")+" AS $", query())
	case 5, 6, 7:
		return N("", "ALTER TABLE "+name()+" $", list(", ", 1, g.alteration(), g.alteration()))
	case 8:
		return N("", "CREATE$ INDEX "+one(g, "k0", "k1")+" ON "+name()+" ($)", opt(" UNIQUE"), N("", one(g, "a", "id", "b, a", "s(3)", "i DESC")))
	case 9:
		return N("", one(g, "DROP TABLE$ "+name(), "DROP VIEW$ "+one(g, "v0", "v1"), "DROP TABLE$ n0, n1"), opt(" IF EXISTS"))
	case 10:
		return N("", one(g, "TRUNCATE TABLE ", "DESCRIBE ", "SHOW CREATE TABLE ", "SHOW INDEX FROM ", "ANALYZE TABLE ", "TABLE ", "SHOW FULL COLUMNS FROM ")+name())
	case 11:
		return N("", one(g, "BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT p", "ROLLBACK TO p", "RELEASE SAVEPOINT p", "SET autocommit = 0", "SET autocommit = 1"))
	case 12:
		return N("", one(g, "SHOW TABLES", "SHOW WARNINGS", "SHOW DATABASES", "SHOW VARIABLES LIKE 'gsql%'", "SELECT * FROM information_schema.tables",
			"SELECT table_name, column_name, data_type FROM information_schema.columns ORDER BY 1, 2", "CREATE DATABASE q", "DROP DATABASE q", "USE q", "USE gsql",
			"CREATE TABLE n1 LIKE t2", "RENAME TABLE n0 TO n1", "SHOW CREATE VIEW v0"))
	case 13:
		return N("", "SET @a = $; SELECT @a, @a + 1", g.expr(anyKind(g), &scope{}, 1))
	case 14:
		return N("", "PREPARE p FROM 'SELECT ? + i FROM t2 WHERE s = ?'; SET @a = $; EXECUTE p USING @a, @a; DEALLOCATE PREPARE p", g.expr(anyKind(g), &scope{}, 1))
	}
	return N("", one(g, "EXPLAIN ", "EXPLAIN ANALYZE ", "EXPLAIN FORMAT = 'json' ", "EXPLAIN FORMAT = 'tree' ")+"$", query())
}

// definitions are columns and keys of CREATE TABLE.
func (g *Gen) definitions() *Node {
	defs := list(", ", 1)
	for i := range 1 + g.R.IntN(5) {
		defs.Kids = append(defs.Kids, N("", fmt.Sprintf("%c $$$$", 'a'+i), g.columnType(), opt(" NOT NULL"),
			opt(" DEFAULT $", N("", one(g, "1", "'x'", "NULL", "CURRENT_TIMESTAMP", "-1.5", "'2024-01-01'", "(1 + 1)"))),
			opt(one(g, " PRIMARY KEY", " UNIQUE", " AUTO_INCREMENT", " COMMENT 'c'", " CHECK (a > 0)", " REFERENCES t1 (id)", ""))))
	}
	if g.oneIn(2) {
		defs.Kids = append(defs.Kids, N("", one(g, "PRIMARY KEY (a)", "UNIQUE KEY k (a, b)", "KEY (b)", "CHECK (a < b)", "CONSTRAINT c CHECK (a <> 3)",
			"FOREIGN KEY (a) REFERENCES t2 (id)", "g INT AS (a + 1)", "g INT GENERATED ALWAYS AS (a * 2) STORED")))
	}
	return defs
}

func (g *Gen) columnType() *Node {
	return N("", one(g, "INT", "BIGINT UNSIGNED", "TINYINT", "SMALLINT UNSIGNED", "DECIMAL(5,2)", "DECIMAL(38,10)", "DECIMAL(65,30)", "DOUBLE", "FLOAT", "VARCHAR(3)", "VARCHAR(9) COLLATE utf8mb4_0900_ai_ci", "TEXT COLLATE utf8mb4_general_ci",
		"TEXT", "CHAR(2)", "BLOB", "VARBINARY(4)", "DATE", "DATETIME(6)", "TIMESTAMP", "TIME(3)", "YEAR", "BIT(4)", "BOOL", "JSON", "ENUM('x', 'y')", "SET('x', 'y')"))
}

// alteration is a piece of ALTER TABLE.
func (g *Gen) alteration() *Node {
	where := opt(one(g, " FIRST", " AFTER a"))
	switch g.R.IntN(5) {
	case 0:
		return N("", "ADD COLUMN "+one(g, "z", "y", "b")+" $$$", g.columnType(), opt(" NOT NULL"), where)
	case 1:
		return N("", "MODIFY "+one(g, "a", "b", "i", "s", "n")+" $$", g.columnType(), where)
	case 2:
		return N("", "CHANGE "+one(g, "a z", "b c", "i ii", "s s")+" $", g.columnType())
	case 3:
		return N("", one(g, "DROP COLUMN b", "DROP COLUMN a", "DROP COLUMN i", "DROP PRIMARY KEY", "DROP INDEX k", "DROP CHECK c", "RENAME COLUMN a TO z", "RENAME TO n1",
			"ALTER COLUMN a SET DEFAULT 5", "ALTER COLUMN a DROP DEFAULT", "ENGINE = InnoDB", "AUTO_INCREMENT = 100"))
	}
	return N("", one(g, "ADD PRIMARY KEY (a)", "ADD UNIQUE k (b)", "ADD INDEX (a, b)", "ADD CHECK (a > 1)", "ADD CONSTRAINT c CHECK (b <> 2)", "ADD FOREIGN KEY (a) REFERENCES t1 (id)"))
}
