package statement

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/internal/result"
	"gsql/internal/tpch"
	"gsql/internal/tpch/load"
	"gsql/sql/catalog"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
	"gsql/storage"
)

// analyze runs ANALYZE TABLE: statistics are collected anew from all rows.
func analyze(r *run, n *ast.AnalyzeTableStmt) (*Result, error) {
	tx, done := r.s.View()
	defer done()
	var out [][]*string
	for _, name := range n.TableNames {
		t, err := r.tableToChange(tx, name)
		if err != nil {
			return nil, err
		}
		if err := storage.Analyze(r.ctx, t); err != nil {
			return nil, err
		}
		out = append(out, result.Row(r.s.Database+"."+name.Name.O, "analyze", "status", "OK"))
	}
	r.c.plans.ExpireAll() // statistics belong to no snapshot
	return maintained(out), nil
}

// maintained returns the result of statements that maintain tables.
func maintained(rows [][]*string) *Result {
	return textResult(result.TextColumns("Table", "Op", "Msg_type", "Msg_text"), rows)
}

// maintain runs CHECK and REPAIR TABLE, which have nothing to do: they report for each table whether
// it exists.
func maintain(r *run, verb string, tables []*ast.TableName) (*Result, error) {
	tx, done := r.s.View()
	defer done()
	return maintainEach(r, tx, verb, tables, func(catalog.Table) error { return nil })
}

// optimize runs OPTIMIZE TABLE: it removes deleted rows, merges small segments and collects
// statistics anew.
func optimize(r *run, n *ast.OptimizeTableStmt) (*Result, error) {
	res, err := definition(r, func(tx *storage.Tx) (*Result, error) {
		return maintainEach(r, tx, "optimize", n.Tables, func(t catalog.Table) error {
			if err := storage.Analyze(r.ctx, t); err != nil {
				return err
			}
			return tx.DDL().Optimize(r.ctx, t)
		})
	})
	r.c.plans.ExpireAll() // statistics belong to no snapshot
	return res, err
}

// maintainEach calls do for the stored ones of the tables and returns what became of each.
func maintainEach(r *run, tx *storage.Tx, verb string, tables []*ast.TableName, do func(catalog.Table) error) (*Result, error) {
	var out [][]*string
	for _, n := range tables {
		name := r.inDatabase(n.Schema.O) + "." + n.Name.O
		obj, err := r.object(tx, n)
		if err == nil && storage.IsVersion(obj.Table) {
			err = do(obj.Table)
		}
		if err != nil {
			e := sqlerr.From(err)
			if e.Code != sqlerr.NoSuchTable {
				return nil, err
			}
			out = append(out, result.Row(name, verb, "Error", e.Msg), result.Row(name, verb, "status", "Operation failed"))
			continue
		}
		out = append(out, result.Row(name, verb, "status", "OK"))
	}
	return maintained(out), nil
}

// absent runs statements about routines, events and server features, none of which exist.
func absent(r *run, n *parse.Absent) (*Result, error) {
	var err *sqlerr.Error
	switch n.What {
	case "REPLICAS":
		return textResult(result.TextColumns("Server_Id", "Host", "Port", "Source_Id", "Replica_UUID"), nil), nil
	case "BINARY LOGS":
		return nil, sqlerr.New(sqlerr.NoBinaryLogging, "You are not using binary logging")
	case "ENGINE":
		return nil, sqlerr.New(sqlerr.UnknownStorageEngine, "Unknown storage engine '%s'", n.Name)
	case "TRIGGER":
		return nil, sqlerr.New(sqlerr.TriggerDoesNotExist, "Trigger does not exist")
	case "EVENT":
		err = sqlerr.New(sqlerr.EventDoesNotExist, "Unknown event '%s'", n.Name)
	default:
		err = sqlerr.New(sqlerr.SPDoesNotExist, "%s %s.%s does not exist", n.What, r.inDatabase(n.DB), n.Name)
	}
	return r.unless(n.IfExists, err.Code, err)
}

// lockTables runs LOCK TABLES t WRITE. It keeps out other sessions that also lock the tables, until
// UNLOCK TABLES, the next transaction or the session's end. As in MySQL, it commits first.
func lockTables(r *run, n *ast.LockTablesStmt) (*Result, error) {
	if err := r.s.Commit(r.ctx, &r.c.writing); err != nil {
		return nil, err
	}
	locks, owner := &r.s.DB.TableLocks, r.s.ID()
	locks.ReleaseAll(owner)
	names, err := tablesToLock(r, n)
	if err != nil {
		return nil, err
	}
	for _, name := range names { // in order, to avoid deadlocks
		if _, err := locks.Await(r.ctx, name, owner, nil); err != nil {
			locks.ReleaseAll(owner)
			return nil, err
		}
	}
	return &Result{}, nil
}

// tablesToLock returns the sorted names of the tables, which must exist.
func tablesToLock(r *run, n *ast.LockTablesStmt) ([]string, error) {
	tx, done := r.s.View()
	defer done()
	var names []string
	for _, l := range n.TableLocks {
		if l.Type != ast.TableLockWrite {
			return nil, sqlerr.Unsupported(0, "LOCK TABLES ... %s", l.Type).WithHint("A transaction reads one snapshot.")
		}
		if _, err := r.object(tx, l.Table); err != nil {
			return nil, r.locate(err, l.Table.Name.O)
		}
		names = append(names, ast.NewCIStr(r.inDatabase(l.Table.Schema.O)).L+"."+l.Table.Name.L)
	}
	slices.Sort(names)
	return names, nil
}

// unlockTables runs UNLOCK TABLES.
func unlockTables(r *run) (*Result, error) {
	r.s.DB.TableLocks.ReleaseAll(r.s.ID())
	return &Result{}, nil
}

// kill runs KILL [CONNECTION | QUERY] id. A killed session ends its statement with error 1317.
// After KILL CONNECTION all further statements fail with error 3169, and the session's locks are
// released as soon as none of its statements runs.
func kill(r *run, n *ast.KillStmt) (*Result, error) {
	if n.TiDBExtension || n.Expr != nil {
		return nil, sqlerr.Unsupported(0, "KILL with anything but the number of a session")
	}
	p := r.s.DB.Processes.Find(n.ConnectionID)
	if p == nil {
		return nil, sqlerr.New(sqlerr.NoSuchThread, "Unknown thread id: %d", n.ConnectionID)
	}
	if n.Query {
		p.Interrupt()
	} else if !p.Stop(sqlerr.New(sqlerr.SessionWasKilled, "Session was killed")) {
		r.s.DB.ReleaseLocks(p.ID)
	}
	if p == r.s.Process {
		return nil, sqlerr.New(sqlerr.QueryInterrupted, "Query execution was interrupted")
	}
	return &Result{}, nil
}

// call runs CALL. There are no stored procedures, only gsql's own.
func call(r *run, n *ast.CallStmt) (*Result, error) {
	f := n.Procedure
	name := strings.ToLower(f.FnName.O)
	p, ok := procedures[name]
	if f.Schema.O != "" || !ok {
		return absent(r, &parse.Absent{What: "PROCEDURE", DB: f.Schema.O, Name: f.FnName.O})
	}
	if len(f.Args) != 1 {
		return nil, sqlerr.New(sqlerr.SPWrongNoOfArgs, "Incorrect number of arguments for PROCEDURE %s; expected 1, got %d", name, len(f.Args)).
			WithHint("%s", p.hint)
	}
	d, err := r.scalar(f.Args[0])
	if err != nil {
		return nil, err
	}
	return p.run(r, d)
}

// procedure is a procedure with one argument.
type procedure struct {
	hint string
	run  func(r *run, arg catalog.Datum) (*Result, error)
}

var procedures = map[string]procedure{
	"gsql_tpch":   {"Write CALL gsql_tpch(1) for scale factor 1, about a gigabyte.", callTPCH},
	"gsql_backup": {"Write CALL gsql_backup('FOLDER'); the folder must be missing or empty.", callBackup},
}

// callTPCH makes the tables of TPC-H of a scale factor.
func callTPCH(r *run, arg catalog.Datum) (*Result, error) {
	sf, _ := strconv.ParseFloat(arg.Text(), 64) // what is no number is refused as 0 is
	tables, err := tpch.Tables(sf)
	if err != nil {
		return nil, sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to gsql_tpch: %s", err)
	}
	return definition(r, func(tx *storage.Tx) (*Result, error) { return createTPCH(r, tx, tables) })
}

// callBackup copies the database to a folder.
func callBackup(r *run, arg catalog.Datum) (*Result, error) {
	if arg.Null || arg.Text() == "" {
		return nil, sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to gsql_backup: the folder has no name")
	}
	if r.s.DB.Disk.Confined() {
		return nil, sqlerr.New(sqlerr.OptionPreventsStatement, "The statements of this database may use only some files, so gsql_backup cannot make a folder")
	}
	return &Result{}, r.s.DB.Backup(r.ctx, arg.Text())
}

// createTPCH creates and fills the tables of TPC-H. It returns their numbers of rows.
func createTPCH(r *run, tx *storage.Tx, tables []tpch.Table) (*Result, error) {
	var out [][]*string
	for _, t := range tables {
		rows, err := load.Create(r.ctx, tx, t, r.s.Settings().Workers)
		if err != nil {
			return nil, err
		}
		out = append(out, result.Row(t.Name(), strconv.FormatInt(rows, 10)))
	}
	return textResult(result.TextColumns("Table", "Rows"), out), nil
}
