package binder_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder"
	"gsql/planner/plantest"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
)

func create(sql string) (*binder.CreateTable, error) {
	stmts, err := parse.Parse(sql, 0)
	if err != nil {
		return nil, err
	}
	b := binder.New(plantest.MustDefine(tables), &session{})
	return b.CreateTable(context.Background(), &stmts[0], stmts[0].Node.(*ast.CreateTableStmt))
}

// describe formats a schema on one line.
func describe(c *binder.CreateTable) string {
	var parts []string
	for _, col := range c.Schema.Columns {
		s := col.Name + " " + col.Type.String()
		if col.NotNull {
			s += " not null"
		}
		if col.AutoInc {
			s += " auto_increment"
		}
		if col.Default != nil {
			s += fmt.Sprintf(" default %q", *col.Default)
		}
		parts = append(parts, s)
	}
	for _, ix := range c.Schema.Indexes {
		parts = append(parts, fmt.Sprintf("%s%v unique=%t", ix.Name, ix.Columns, ix.Unique))
	}
	return strings.Join(parts, ", ")
}

func TestCreateTable(t *testing.T) {
	for _, c := range []struct{ sql, want string }{
		{"create table n (a tinyint, b smallint unsigned, c mediumint, d int, e integer unsigned, f bigint, g bool, h boolean default true)",
			`a tinyint, b smallint unsigned, c int, d int, e int unsigned, f bigint, g tinyint, h tinyint default "1"`},
		{"create table n (a float, b double, c real, d decimal, e numeric(12,4), f dec(3), g double precision)",
			"a float, b double, c double, d decimal(10,0), e decimal(12,4), f decimal(3,0), g double"},
		{"create table n (a char, b char(3), c varchar(20), d text, e tinytext, f blob, g varbinary(4), h enum('x','y'), i set('x'), j json, k point)",
			"a varchar(1), b varchar(3), c varchar(20), d text, e text, f blob, g varbinary(4), h enum('x','y'), i set('x'), j json, k text"},
		{"create table n (a date, b datetime(3), c timestamp default current_timestamp, d time, e year, f bit(3))",
			`a date, b datetime(3), c timestamp default "CURRENT_TIMESTAMP", d time, e year, f bigint unsigned`},
		{"create table n (id int auto_increment primary key, b int not null default -5, c varchar(3) default 'a''b' unique, d decimal(5,2) default 1.50, key (b), index (b), unique key k (b, c)) engine=innodb comment 'x'",
			`id int not null auto_increment, b int not null default "-5", c varchar(3) default "a'b", d decimal(5,2) default "1.50", PRIMARY[0] unique=true, c[2] unique=true, k[1 2] unique=true, b[1] unique=false, b_2[1] unique=false`},
		{"create table n (a int, b int, primary key (b, a))", "a int not null, b int not null, PRIMARY[1 0] unique=true"},
		{"create table n like t", "a int not null, b int, c varchar(10), d decimal(10,2) not null, a[0] unique=true"},
		{"create table n (z int, s text) select b as s, d from t", "z int, s text, d decimal(10,2) not null"},
		{"create table n as select a, null as e, 'x' as f from t", "a int not null, e text, f text not null"},
	} {
		got, err := create(c.sql)
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
		} else if describe(got) != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.sql, describe(got), c.want)
		}
	}
	got, err := create("create temporary table if not exists db.n (z int, s text) select b as s, d from t")
	if err != nil || !got.Temporary || !got.IfNotExists || got.DB != "db" || fmt.Sprint(got.Fill) != "[-1 0 1]" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestCreateTableErrors(t *testing.T) {
	for _, c := range []struct {
		sql  string
		code sqlerr.Code
	}{
		{"create table n (a int, A int)", sqlerr.DupFieldName},
		{"create table n (a int primary key, b int primary key)", sqlerr.MultiplePriKey},
		{"create table n (a int, key k (a), key K (a))", sqlerr.DupKeyName},
		{"create table n (a int, key (b))", sqlerr.KeyColumnDoesNotExist},
		{"create table n (a int, key (a, a))", sqlerr.DupFieldName},
		{"create table n (a int not null default null)", sqlerr.InvalidDefault},
		{"create table n (a varchar(3) auto_increment)", sqlerr.WrongFieldSpec},
		{"create table n (a decimal(3,5))", sqlerr.MBiggerThanD},
		{"create table n (a datetime(7))", sqlerr.TooBigPrecision},
		{"create table n (a int auto_increment)", sqlerr.WrongAutoKey},
		{"create table n (a int auto_increment primary key, b int auto_increment unique)", sqlerr.WrongAutoKey},
		{"create table n (a int check (nope > 1))", sqlerr.CheckUnknownColumn},
		{"create table n (a int check (a > rand()))", sqlerr.CheckNamedFunction},
		{"create table n (a int check (a > (select 1)))", sqlerr.CheckNamedFunction},
		{"create table n (a int auto_increment primary key check (a > 1))", sqlerr.CheckAutoIncrement},
		{"create table n (a int, constraint c check (a > 1), constraint C check (a > 2))", sqlerr.CheckDuplicate},
		{"create table n (a int, b int as (nope + 1))", sqlerr.BadField},
		{"create table n (a int, b datetime as (now()))", sqlerr.GeneratedFunction},
		{"create table n (a int, b int as (c + 1), c int as (a + 1))", sqlerr.GeneratedNotPrior},
		{"create table n (a int auto_increment primary key, b int as (a + 1))", sqlerr.GeneratedAutoIncrement},
		{"create table n (a int, b int default 1 as (a + 1))", sqlerr.WrongUsage},
		{"create table n (b int as (1 + 1))", sqlerr.TableMustHaveColumns},
		{"create table n (a enum('x', 'X'))", sqlerr.DuplicatedValueInType},
		{"create table n (a set('x,y'))", sqlerr.IllegalValueForType},
		{"create table n (a int on update current_timestamp)", sqlerr.InvalidOnUpdate},
		{"create table n (a int, b int default (a + 1))", sqlerr.NotSupportedYet},
		{"create table n (a int default ((select 1)))", sqlerr.DefaultExprNotAllowed},
		{"create table n (a int) partition by hash (a) partitions 4", sqlerr.NotSupportedYet},
		{"create table n select a, a from t", sqlerr.DupFieldName},
		{"create table n like w", sqlerr.WrongObject},
		{"create table n like nosuch", sqlerr.NoSuchTable},
	} {
		if _, err := create(c.sql); !errors.Is(err, c.code) {
			t.Errorf("%s: got %v, want %d", c.sql, err, c.code)
		}
	}
}
