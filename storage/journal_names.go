package storage

import (
	"maps"
	"slices"

	"gsql/storage/durable"
)

// recordNames records which databases, tables and views differ between two namespaces: first what
// is gone, so that names are free, then what is new. A table whose id stays has been renamed.
func recordNames(c *durable.Commit, was, is *namespace, merges []merged) {
	if was == is {
		return
	}
	gone, fresh := difference(was, is), difference(is, was)
	kept := map[uint64]bool{}
	for _, o := range fresh {
		if o.table != nil {
			kept[o.table.id] = true
		}
	}
	for _, o := range gone {
		switch {
		case o.view != nil:
			c.DropView(o.view.DB, o.view.Name)
		case !kept[o.table.id]:
			c.DropTable(o.table.id)
		}
	}
	for _, key := range permanent(was) {
		if is.dbs[key] == nil {
			c.DropDatabase(was.dbs[key].name)
		}
	}
	for _, key := range permanent(is) {
		if old, db := was.dbs[key], is.dbs[key]; old == nil || old.coll != db.coll || old.name != db.name {
			c.PutDatabase(db.name, db.coll)
		}
	}
	for _, o := range fresh {
		if o.view != nil {
			c.PutView(o.view)
			continue
		}
		for _, m := range merges {
			if m.version != nil && m.version.table == o.table {
				c.PutTable(definition(m.version))
			}
		}
	}
}

// permanent lists the keys of the databases that do not hold temporary tables.
func permanent(n *namespace) []string {
	keys := slices.Sorted(maps.Keys(n.dbs))
	return slices.DeleteFunc(keys, func(key string) bool { return temporary(n.dbs[key].name) })
}

// permanentObjects lists the tables and views by name, without temporary ones.
func (n *namespace) permanentObjects() []object { return difference(n, newNamespace()) }

// difference lists the tables and views of n, by name, that other does not have. Temporary ones
// are left out.
func difference(n, other *namespace) []object {
	var out []object
	for _, key := range permanent(n) {
		db, theirs := n.dbs[key], other.dbs[key]
		if db == theirs {
			continue
		}
		for i, sh := range db.shards {
			if sh == nil || theirs != nil && theirs.shards[i] == sh {
				continue
			}
			for _, name := range slices.Sorted(maps.Keys(sh.objects)) {
				o := sh.objects[name]
				if theirs != nil && theirs.shards[i] != nil && theirs.shards[i].objects[name] == o {
					continue
				}
				out = append(out, o)
			}
		}
	}
	return out
}
