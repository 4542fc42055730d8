package durable_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
)

// program makes random statements. Many fail, because tables or columns are missing or keys are
// duplicates; a failure must not leave anything either.
type program struct {
	r      *rand.Rand
	values int // used for values that are new

	databases []string // that statements name
	existing  []string // tables and views that there are
}

// several are the databases of a program that is alone, and names those of all tables.
var (
	several = []string{"gsql", "d1", "d2", "`ä b`"}
	names   = []string{"t1", "t2", "t3", "t4", "`T 5`", "v1", "v2"}
)

// alone reports whether the program leaves all databases but its own to others. Its statements do
// not depend on what there is, and all that they do lasts.
func (p *program) alone() bool { return len(p.databases) == 1 }

func (p *program) pick(list ...string) string { return list[p.r.IntN(len(list))] }

// table names a table or view, which may be missing.
func (p *program) table() string {
	if len(p.existing) > 0 && p.r.IntN(8) > 0 {
		return p.pick(p.existing...)
	}
	return p.free()
}

// free names a table or view that may exist, or not.
func (p *program) free() string {
	if p.alone() {
		return p.databases[0] + "." + p.pick(names[:3]...)
	}
	name := p.pick(names...)
	if p.r.IntN(12) == 0 {
		name = p.pick("tmp1", "tmp2")
	}
	if p.r.IntN(3) == 0 {
		return p.pick(p.databases...) + "." + name
	}
	return name
}

// fresh returns a number that it has not returned before.
func (p *program) fresh() int { p.values++; return p.values }

// few returns a number that it often returns.
func (p *program) few() int { return p.r.IntN(12) }

func (p *program) number() int {
	if p.r.IntN(3) == 0 {
		return p.few()
	}
	return p.fresh()
}

// columns are definitions of columns beside id, a and s, which all tables begin with.
var columns = []string{
	"INT", "BIGINT UNSIGNED NOT NULL DEFAULT 7", "VARCHAR(30) COLLATE utf8mb4_bin DEFAULT 'it''s'", "DECIMAL(30,6)", "DOUBLE", "DATE DEFAULT '2024-02-29'",
	"DATETIME(3)", "TEXT", "BLOB", "ENUM('x','y','z') DEFAULT 'y'", "JSON", "TINYINT COMMENT 'small; one'", "TIME", "BIT(9)", "YEAR",
	"INT GENERATED ALWAYS AS (a * 2) STORED", "VARCHAR(60) AS (CONCAT(s, '!')) VIRTUAL", "SET('p','q')", "VARCHAR(20) COLLATE utf8mb4_0900_ai_ci", "CHAR(5)",
}

func (p *program) column() string {
	return fmt.Sprintf("c%d %s", 1+p.r.IntN(5), p.pick(columns...))
}

// id returns a definition of column id, without AUTO_INCREMENT for a program that must do the same on
// all databases: how many numbers a failure skips depends on segments and batches.
func (p *program) id(definitions ...string) string {
	if p.alone() {
		return p.pick("id INT", "id BIGINT UNSIGNED", "id INT DEFAULT 0, KEY (id)")
	}
	return p.pick(definitions...)
}

// create makes a table.
func (p *program) create(temporary string) string {
	name := p.free()
	if temporary != "" {
		name = p.pick("tmp1", "tmp2", "t1", "v1")
	}
	switch p.r.IntN(7) {
	case 0:
		return fmt.Sprintf("CREATE %s TABLE IF NOT EXISTS %s LIKE %s", temporary, name, p.table())
	case 1:
		return fmt.Sprintf("CREATE %s TABLE %s AS SELECT * FROM %s", temporary, name, p.table())
	case 2:
		return fmt.Sprintf("CREATE %s TABLE %s (%s, x INT DEFAULT 3) AS SELECT a, s FROM %s", temporary, name, p.id("id INT AUTO_INCREMENT PRIMARY KEY"), p.table())
	}
	parts := []string{p.id("id INT NOT NULL AUTO_INCREMENT PRIMARY KEY", "id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT, KEY (id)", "id INT NOT NULL AUTO_INCREMENT, PRIMARY KEY (id, a)", "id INT"),
		"a INT" + p.pick("", " NOT NULL DEFAULT 1", " DEFAULT 5"), "s VARCHAR(40)" + p.pick("", " COLLATE utf8mb4_general_ci", " CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", " DEFAULT 'd'")}
	seen := map[string]bool{}
	for range p.r.IntN(3) {
		c := p.column()
		if name, _, _ := strings.Cut(c, " "); !seen[name] {
			parts, seen[name] = append(parts, c), true
		}
	}
	parts = append(parts, p.pick("KEY k (a)", "UNIQUE KEY u (a, s)", "UNIQUE KEY u (s)", "CHECK (a < 1000000)", "CONSTRAINT ck CHECK (a <> 11) NOT ENFORCED", "KEY p (s(3))", "FOREIGN KEY (a) REFERENCES t1 (id)"))
	options := p.pick("", " COMMENT='a table; of ''ours'''", " AUTO_INCREMENT=100", " COMPRESSION='zstd'", " DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci")
	return fmt.Sprintf("CREATE %s TABLE %s (%s)%s", temporary, name, strings.Join(parts, ", "), options)
}

// alter changes a table's definition.
func (p *program) alter() string {
	var parts []string
	for range 1 + p.r.IntN(2) {
		c := fmt.Sprintf("c%d", 1+p.r.IntN(5))
		parts = append(parts, p.pick(
			"ADD COLUMN "+p.column(), "ADD COLUMN "+p.column()+" FIRST", "ADD COLUMN "+p.column()+" AFTER a", "ADD "+p.column(),
			"DROP COLUMN "+c, "MODIFY "+p.column(), "MODIFY s VARCHAR("+p.pick("20", "40", "60")+")", "MODIFY a BIGINT", "MODIFY s VARCHAR(50) FIRST",
			"CHANGE "+c+" "+p.column(), "RENAME COLUMN "+c+" TO "+p.pick("c1", "c2", "c6"), "ALTER COLUMN a SET DEFAULT 9", "ALTER COLUMN s DROP DEFAULT",
			"ADD UNIQUE KEY u2 (a)", "ADD UNIQUE KEY u2 (a, s)", "ADD KEY k2 (s)", "DROP KEY u2", "DROP INDEX u", "DROP PRIMARY KEY", "ADD PRIMARY KEY (id)",
			"ADD CONSTRAINT ck2 CHECK (a > -5)", "DROP CHECK ck2", "ALTER CHECK ck2 NOT ENFORCED", "RENAME INDEX k TO k3", "RENAME TO "+p.free(),
			fmt.Sprintf("AUTO_INCREMENT = %d", p.r.IntN(300)), "COMMENT = 'changed'", "COMPRESSION = 'none'", "DROP FOREIGN KEY t1_ibfk_1"))
	}
	return fmt.Sprintf("ALTER TABLE %s %s", p.table(), strings.Join(parts, ", "))
}

// define changes definitions. Such a statement commits.
func (p *program) define() string {
	switch p.r.IntN(18) {
	case 0:
		return fmt.Sprintf("CREATE DATABASE %s", p.pick(p.databases...)) + p.pick("", " COLLATE utf8mb4_general_ci")
	case 1:
		if p.r.IntN(2) == 0 {
			return fmt.Sprintf("DROP DATABASE IF EXISTS %s", p.pick(p.databases...))
		}
		return fmt.Sprintf("ALTER DATABASE %s COLLATE %s", p.pick(p.databases...), p.pick("utf8mb4_bin", "utf8mb4_general_ci", "utf8mb4_0900_ai_ci"))
	case 2:
		return fmt.Sprintf("CREATE %s VIEW %s AS SELECT * FROM %s", p.pick("", "OR REPLACE"), p.free(), p.table())
	case 3:
		return fmt.Sprintf("CREATE OR REPLACE VIEW %s (x, y) AS SELECT a, COUNT(*) FROM %s GROUP BY a", p.free(), p.table())
	case 4:
		return fmt.Sprintf("DROP VIEW IF EXISTS %s", p.table())
	case 5:
		return fmt.Sprintf("DROP TABLE IF EXISTS %s, %s", p.table(), p.free())
	case 6:
		return fmt.Sprintf("RENAME TABLE %s TO %s", p.table(), p.free())
	case 7: // a swap
		a, b := p.table(), p.table()
		return fmt.Sprintf("RENAME TABLE %s TO %s.zz, %s TO %s, %s.zz TO %s", a, p.databases[0], b, a, p.databases[0], b)
	case 8:
		return fmt.Sprintf("TRUNCATE TABLE %s", p.table())
	case 9, 10, 11, 12:
		return p.alter()
	case 13:
		if !p.alone() {
			return p.create("TEMPORARY")
		}
	case 14:
		return fmt.Sprintf("CREATE %s INDEX i1 ON %s (%s)", p.pick("", "UNIQUE"), p.table(), p.pick("a", "s", "id", "a, s"))
	case 15:
		return fmt.Sprintf("DROP TABLE %s", p.table())
	}
	return p.create("")
}

// rows returns values for a and s.
func (p *program) rows() string {
	n := 1 + p.r.IntN(4)
	if p.r.IntN(8) == 0 {
		n = 20 + p.r.IntN(60)
	}
	var rows []string
	for range n {
		rows = append(rows, fmt.Sprintf("(%d, '%s')", p.number(), p.text()))
	}
	return strings.Join(rows, ", ")
}

func (p *program) text() string {
	if p.r.IntN(10) == 0 {
		return strings.Repeat("ü", p.r.IntN(30))
	}
	return fmt.Sprintf("%s%d", p.pick("a", "A", "ä", "b "), p.number())
}

// change changes rows.
func (p *program) change() string {
	t := p.table()
	switch p.r.IntN(14) {
	case 0:
		return fmt.Sprintf("REPLACE INTO %s (id, a, s) VALUES (%d, %d, '%s')", t, p.few(), p.number(), p.text())
	case 1:
		return fmt.Sprintf("INSERT INTO %s (a, s) VALUES %s ON DUPLICATE KEY UPDATE a = a + 1000", t, p.rows())
	case 2:
		return fmt.Sprintf("UPDATE %s SET a = %d, s = CONCAT(s, '+') WHERE a %% 3 = %d", t, p.number(), p.r.IntN(3))
	case 3:
		return fmt.Sprintf("DELETE FROM %s WHERE a %% 4 = %d", t, p.r.IntN(4))
	case 4:
		return fmt.Sprintf("DELETE FROM %s LIMIT %d", t, p.few())
	case 5: // without IGNORE, how many numbers a failure skips depends on batches
		return fmt.Sprintf("INSERT IGNORE INTO %s (a, s) SELECT a + %d, s FROM %s LIMIT 40", t, 100*p.fresh(), p.table())
	case 6:
		return fmt.Sprintf("INSERT IGNORE INTO %s (a, s) VALUES %s", t, p.rows())
	case 7:
		return fmt.Sprintf("UPDATE %s SET id = id + %d LIMIT 3", t, p.few())
	case 8:
		return fmt.Sprintf("UPDATE %s x, %s y SET x.a = x.a + 1, y.s = 'both' WHERE x.id = y.id", t, p.table())
	case 9:
		return fmt.Sprintf("INSERT INTO %s (c1, c2, c3) VALUES (%d, '%d', NULL)", t, p.few(), p.few())
	}
	return fmt.Sprintf("INSERT INTO %s (a, s) VALUES %s", t, p.rows())
}

// transaction returns the statements of one transaction or of one commit.
func (p *program) transaction() []string {
	if len(p.existing) < 3+p.r.IntN(4) && p.r.IntN(2) == 0 {
		return []string{p.create("")}
	}
	switch p.r.IntN(10) {
	case 0, 1, 2, 3:
		return []string{p.define()}
	case 4:
		return []string{p.pick("ANALYZE TABLE ", "OPTIMIZE TABLE ", "CHECK TABLE ") + p.table()}
	case 5, 6:
		list := []string{p.pick("BEGIN", "START TRANSACTION")}
		for range 1 + p.r.IntN(4) {
			switch p.r.IntN(8) {
			case 0:
				list = append(list, "SAVEPOINT s1", p.change(), "ROLLBACK TO SAVEPOINT s1")
			case 1:
				list = append(list, "SAVEPOINT s2", p.change(), "RELEASE SAVEPOINT s2")
			default:
				list = append(list, p.change())
			}
		}
		return append(list, p.pick("COMMIT", "COMMIT", "COMMIT", "ROLLBACK"))
	}
	return []string{p.change()}
}

var counterSetting = regexp.MustCompile("(?i)^ALTER TABLE (?:(\\S+)\\.)?(`[^`]*`|\\S+) .*AUTO_INCREMENT")
