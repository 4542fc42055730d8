package gsql

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/parse"
	"gsql/sql/sqlerr"
	"gsql/storage"
)

// maintain runs CHECK, REPAIR and OPTIMIZE TABLE, which have nothing to do: they tell of
// each table whether it is there. OPTIMIZE collects statistics again.
func (r *stmtRun) maintain(verb string, tables []*ast.TableName) (*Rows, error) {
	tx, done := r.view()
	defer done()
	var out [][]*string
	for _, n := range tables {
		db := n.Schema.O
		if db == "" {
			db = r.s.database
		}
		name := db + "." + n.Name.O
		obj, err := r.s.resolver(tx, nil).Table(r.ctx, n.Schema.O, n.Name.O)
		if err == nil && verb == "optimize" && storage.IsVersion(obj.Table) {
			err = storage.Analyze(r.ctx, obj.Table)
		}
		if err != nil {
			e := sqlerr.From(err)
			if e.Code != sqlerr.NoSuchTable {
				return nil, err
			}
			out = append(out, text(name, verb, "Error", e.Msg), text(name, verb, "status", "Operation failed"))
			continue
		}
		out = append(out, text(name, verb, "status", "OK"))
	}
	if verb == "optimize" {
		r.s.db.plans.expire(storage.Snapshot{}) // statistics belong to no snapshot
	}
	return textResult(textColumns("Table", "Op", "Msg_type", "Msg_text"), out), nil
}

// absent runs statements about routines, events and what only servers have, of which
// there are none.
func (r *stmtRun) absent(n *parse.Absent) (*Rows, error) {
	var err *sqlerr.Error
	switch n.What {
	case "REPLICAS":
		return textResult(textColumns("Server_Id", "Host", "Port", "Source_Id", "Replica_UUID"), nil), nil
	case "BINARY LOGS":
		return nil, sqlerr.New(sqlerr.NoBinaryLogging, "You are not using binary logging")
	case "ENGINE":
		return nil, sqlerr.New(sqlerr.UnknownStorageEngine, "Unknown storage engine '%s'", n.Name)
	case "TRIGGER":
		return nil, sqlerr.New(sqlerr.TriggerDoesNotExist, "Trigger does not exist")
	case "EVENT":
		err = sqlerr.New(sqlerr.EventDoesNotExist, "Unknown event '%s'", n.Name)
	default:
		db := n.DB
		if db == "" {
			db = r.s.database
		}
		err = sqlerr.New(sqlerr.SPDoesNotExist, "%s %s.%s does not exist", n.What, db, n.Name)
	}
	return r.unless(n.IfExists, err.Code, err)
}
