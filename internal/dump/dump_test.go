package dump_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gsql"
	"gsql/internal/dump"
	"gsql/internal/sqltest"
	"gsql/sql/parse"
)

// script makes a database with everything that its catalog knows.
var script = []string{
	"CREATE TABLE numbers (b BIT(9), ti TINYINT UNSIGNED, bi BIGINT, bu BIGINT UNSIGNED, d DECIMAL(38, 9), du DECIMAL(10, 2) UNSIGNED, f FLOAT, x DOUBLE, y YEAR, z INT(4) UNSIGNED ZEROFILL, w BOOL)",
	"INSERT INTO numbers VALUES (b'101', 255, -9223372036854775808, 18446744073709551615, -12345678901234567890123456789.123456789, 7.25, 1.1, -2.5e300, 1999, 7, TRUE)",
	"INSERT INTO numbers VALUES (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
	"CREATE TABLE texts (c CHAR(5), v VARCHAR(50) COLLATE utf8mb4_bin NOT NULL, t LONGTEXT, bin BINARY(4), vb VARBINARY(9), bl BLOB, j JSON, e ENUM('a', 'b''c', ''), s SET('x', 'y', 'z')) COMMENT 'of ''texts'''",
	"INSERT INTO texts VALUES ('ab  ', 'é \\\\ '' \"\\n\\t', REPEAT('long ', 5000), x'00ff', x'fffe00', x'', '{\"b\": [1, 2.5, null], \"a\": \"x\"}', 'b''c', 'x,z'), (NULL, '', '', NULL, NULL, NULL, '1', '', '')",
	"CREATE TABLE times (d DATE, dt DATETIME(6), t TIME(3), ts TIMESTAMP(2) NULL DEFAULT CURRENT_TIMESTAMP(2) ON UPDATE CURRENT_TIMESTAMP(2))",
	"INSERT INTO times VALUES ('0001-01-01', '9999-12-31 23:59:59.999999', '-838:59:59.000', '2038-01-19 03:14:07'), ('2024-02-29', '1969-12-31 23:59:59.5', '00:00:00.001', NULL)",
	"CREATE TABLE made (id INT AUTO_INCREMENT PRIMARY KEY, a INT DEFAULT 7, g INT GENERATED ALWAYS AS (a * 2) STORED, v INT AS (a + 1), r DOUBLE DEFAULT (1 + 1), UNIQUE KEY ua (a), KEY (g), CONSTRAINT small CHECK (a < 100), CONSTRAINT loose CHECK (a < 1) NOT ENFORCED) COMPRESSION='zstd'",
	"INSERT INTO made (id, a) VALUES (0 + 3, 8), (11, NULL)",
	"ALTER TABLE made CACHE",
	"CREATE TABLE child (id INT, m INT, CONSTRAINT to_made FOREIGN KEY (m) REFERENCES made (id) ON DELETE CASCADE)",
	"INSERT INTO child VALUES (1, 3)",
	"CREATE TABLE nothing (a INT)",
	"CREATE TABLE `odd ``name``; -- x` (`a b` INT, `sel``ect` TEXT)",
	"INSERT INTO `odd ``name``; -- x` VALUES (1, 'y')",
	"CREATE VIEW later AS SELECT * FROM earlier2",
	"CREATE DATABASE `other db` COLLATE utf8mb4_bin",
	"CREATE TABLE `other db`.t (a VARCHAR(9))",
	"INSERT INTO `other db`.t VALUES ('B'), ('a')",
	"CREATE VIEW `other db`.w AS SELECT a FROM `other db`.t WHERE a > 'A'",
}

// TestRoundTrip writes a database and makes it again. The definitions and the rows must be the same, and so must a
// second dump.
func TestRoundTrip(t *testing.T) {
	ctx := context.Background()
	from := sqltest.Open(t, gsql.Config{})
	sqltest.Run(t, from, "CREATE VIEW earlier2 AS SELECT 1 AS one")
	for _, sql := range script {
		sqltest.Run(t, from, sql)
	}
	folder := filepath.Join(t.TempDir(), "copy")
	tables := 0
	if err := dump.Write(ctx, from, folder, func(string, int64) { tables++ }); err != nil {
		t.Fatal(err)
	}
	if tables != 8 {
		t.Errorf("%d tables were written", tables)
	}
	if err := dump.Write(ctx, from, folder, func(string, int64) {}); err == nil {
		t.Error("a folder with files is taken")
	}
	text, err := os.ReadFile(filepath.Join(folder, dump.Script))
	if err != nil {
		t.Fatal(err)
	}
	to := sqltest.Open(t, gsql.Config{Dir: folder})
	pieces, rest := parse.Split(string(text), 0)
	if strings.TrimSpace(rest) != "" {
		t.Errorf("the script ends with %q", rest)
	}
	for _, p := range pieces {
		sqltest.Run(t, to, p.Text)
	}
	want, got := everything(t, from), everything(t, to)
	for name, lines := range want {
		if got[name] != lines {
			t.Errorf("%s is\n%s\nwant\n%s", name, got[name], lines)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d tables and views, want %d", len(got), len(want))
	}
}

// everything returns the definitions and the rows of all tables and views.
func everything(t *testing.T, s *gsql.Session) map[string]string {
	t.Helper()
	sqltest.Run(t, s, "SET time_zone = '+00:00'")
	all := map[string]string{}
	for _, r := range sqltest.Rows(t, s, "SELECT CONCAT('`', REPLACE(table_schema, '`', '``'), '`.`', REPLACE(table_name, '`', '``'), '`') AS q FROM information_schema.tables WHERE table_schema NOT LIKE '%schema'") {
		name := strings.Trim(r[0], `"`)
		all[name] = sqltest.Lines(sqltest.Rows(t, s, "SHOW CREATE TABLE "+name)) + sqltest.Lines(sqltest.Rows(t, s, "SELECT * FROM "+name))
	}
	for _, r := range sqltest.Rows(t, s, "SELECT schema_name, default_collation_name FROM information_schema.schemata") {
		all[r[0]] = r[1]
	}
	return all
}
