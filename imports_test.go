package gsql_test

import (
	"os/exec"
	"strings"
	"testing"
)

// forbidden lists, by prefix, what the packages below that prefix must not import: the rules of
// docs/architecture.md. A name that ends with $ stands for one package, without those below it.
var forbidden = map[string][]string{
	"gsql/":                      {"gsql/internal/sqltest", "gsql/internal/inside"}, // which tests and the root import
	"gsql/sql/":                  {"gsql/planner", "gsql/exec", "gsql/storage", "gsql/gpu", "gsql/cmd"},
	"gsql/planner":               {"gsql/exec", "gsql/storage", "gsql/gpu", "gsql/cmd"},
	"gsql/exec":                  {"gsql/storage", "gsql/gpu", "gsql/cmd", "gsql/planner/binder", "gsql/planner/rules"},
	"gsql/exec/keyenc":           {"gsql/exec/join", "gsql/exec/groupjoin", "gsql/exec/agg", "gsql/planner"},
	"gsql/exec/agg/keytable":     {"gsql/exec/agg", "gsql/exec/op", "gsql/exec/join", "gsql/planner"},
	"gsql/exec/agg/state":        {"gsql/exec/agg$", "gsql/exec/join", "gsql/planner/physical"},
	"gsql/exec/join/match":       joinParts("partition", "input", "hash", "radix", "merge", "theta", "spill"),
	"gsql/exec/join/input":       joinParts("partition", "hash", "radix", "merge", "theta", "spill"),
	"gsql/exec/join/partition":   joinParts("match", "input", "hash", "radix", "merge", "theta", "spill"),
	"gsql/exec/join/hash":        joinParts("input", "radix", "merge", "theta", "spill"),
	"gsql/exec/join/radix":       joinParts("merge", "theta", "spill"),
	"gsql/exec/join/merge":       joinParts("input", "hash", "radix", "theta", "spill"),
	"gsql/exec/join/theta":       joinParts("input", "hash", "radix", "spill"),
	"gsql/exec/join/spill":       joinParts("hash", "radix", "merge", "theta"),
	"gsql/planner/colset":        {"gsql/planner/rules", "gsql/planner/implement", "gsql/planner/cost"},
	"gsql/planner/access":        {"gsql/planner/rules", "gsql/planner/implement"},
	"gsql/planner/template":      {"gsql/planner/rules", "gsql/planner/implement"},
	"gsql/planner/share":         {"gsql/planner/rules", "gsql/planner/implement"},
	"gsql/planner/fuse":          {"gsql/planner/rules", "gsql/planner/implement"},
	"gsql/planner/implement/":    {"gsql/planner/rules", "gsql/planner/implement$"},
	"gsql/planner/rules/cond":    {"gsql/planner/rules"},
	"gsql/planner/rules/isolate": {"gsql/planner/rules$", "gsql/planner/rules/fold"},
	"gsql/planner/rules/fold":    {"gsql/planner/rules$"},
	"gsql/storage":               {"gsql/planner", "gsql/exec", "gsql/internal/dml", "gsql/gpu", "gsql/cmd"},
	"gsql/internal/dml":          {"gsql/exec", "gsql/gpu", "gsql/cmd"},
	// The root is the API; the packages that run statements are below it, in this order.
	"gsql$": {"gsql/exec", "gsql/gpu", "gsql/storage$", "gsql/storage/files", "gsql/internal/dml", "gsql/planner$", "gsql/planner/binder",
		"gsql/planner/logical", "gsql/planner/rules", "gsql/planner/implement", "gsql/planner/cost", "gsql/sql/expr", "gsql/sql/eval", "gsql/sql/parse"},
	"gsql/internal/statement": {"gsql$", "gsql/cmd", "gsql/gpu"},
	"gsql/internal/plancache": {"gsql$", "gsql/cmd", "gsql/gpu", "gsql/exec", "gsql/internal/statement"},
	"gsql/internal/session":   {"gsql$", "gsql/cmd", "gsql/gpu", "gsql/exec", "gsql/internal/statement", "gsql/internal/plancache", "gsql/internal/result"},
	"gsql/internal/database": {"gsql$", "gsql/cmd", "gsql/internal/statement", "gsql/internal/plancache", "gsql/internal/session",
		"gsql/internal/result", "gsql/internal/dml", "gsql/planner$", "gsql/planner/binder"},
	"gsql/internal/result": {"gsql$", "gsql/cmd", "gsql/gpu", "gsql/exec", "gsql/storage", "gsql/planner", "gsql/internal/"},
	"gsql/gpu": {"gsql/storage", "gsql/cmd", "gsql/planner/binder", "gsql/planner/rules", "gsql/planner/implement",
		"gsql/planner/joinorder", "gsql/exec/agg"},
	"gsql/gpu/forms":            {"gsql/exec/sort"}, // gpu/operators orders rows that a device returns
	"gsql/gpu/lower":            {"gsql/exec/sort"},
	"gsql/gpu/tables":           {"gsql/exec/sort"},
	"gsql/gpu/column":           deviceCode,
	"gsql/gpu/cuda":             deviceCode,
	"gsql/gpu/engine":           deviceCode,
	"gsql/gpu/group":            deviceCode,
	"gsql/gpu/join":             deviceCode,
	"gsql/gpu/pipeline":         deviceCode,
	"gsql/gpu/prim":             deviceCode,
	"gsql/gpu/sim":              deviceCode,
	"gsql/internal/mem":         {"gsql/planner", "gsql/exec", "gsql/storage", "gsql/cmd"},
	"gsql/internal/suggest":     {"gsql/"},
	"gsql/internal/parquetfile": {"gsql/"},
	"gsql/sql/sqlerr":           {"gsql/"},
	"gsql/sql/types":            {"gsql/sql/vec", "gsql/sql/expr", "gsql/sql/eval"},
	"gsql/sql/expr":             {"gsql/sql/eval", "gsql/sql/kernel", "gsql/sql/cast", "gsql/sql/function"}, // families register their signatures in it
	"gsql/sql/kernel":           {"gsql/sql/eval", "gsql/sql/cast", "gsql/sql/function"},
	"gsql/sql/cast":             {"gsql/sql/eval", "gsql/sql/function"},
	"gsql/sql/function":         {"gsql/sql/eval"},
	"gsql/sql/function/":        {"gsql/sql/function"}, // families know neither their list nor each other
	"gsql/sql/backtrack":        {"gsql/"},
	"gsql/sql/like":             {"gsql/"},
	// File formats share one contract and do not import each other.
	"gsql/storage/stats":          {"gsql/storage"},
	"gsql/storage/keyindex":       {"gsql/storage$", "gsql/storage/files"},
	"gsql/storage/arrowtable":     {"gsql/storage"},
	"gsql/storage/conform":        {"gsql/storage"},
	"gsql/storage/rowset":         {"gsql/storage"},
	"gsql/storage/contents":       {"gsql/storage$", "gsql/storage/files", "gsql/storage/keyindex", "gsql/storage/disk"},
	"gsql/storage/segment":        {"gsql/storage$", "gsql/storage/files", "gsql/storage/disk", "gsql/storage/arrowtable"},
	"gsql/storage/disk":           {"gsql/storage/files"},
	"gsql/storage/segfile":        {"gsql/storage$", "gsql/storage/files", "gsql/storage/chainlog", "gsql/storage/durable"},
	"gsql/storage/segfile/pack":   {"gsql/sql/", "gsql/storage"},
	"gsql/storage/durable":        {"gsql/storage$", "gsql/storage/files", "gsql/storage/keyindex"},
	"gsql/storage/vfs$":           {"gsql/"},
	"gsql/storage/vfs/":           {"gsql/sql/", "gsql/storage$", "gsql/storage/chainlog", "gsql/storage/segment", "gsql/storage/segfile", "gsql/storage/durable"},
	"gsql/storage/chainlog":       {"gsql/sql/types", "gsql/sql/vec", "gsql/sql/catalog", "gsql/storage$", "gsql/storage/segment", "gsql/storage/segfile", "gsql/storage/durable", "gsql/storage/files"},
	"gsql/storage/files/format":   {"gsql/storage/files/"},
	"gsql/storage/files/nested":   {"gsql/storage/files/csv", "gsql/storage/files/parquet", "gsql/storage/files/arrow"},
	"gsql/storage/files/notation": formatsAnd("dynamic", "nested"),
	"gsql/storage/files/dynamic":  formatsAnd("nested"),
	"gsql/storage/files/jsonfile": {"gsql/storage/files/csv", "gsql/storage/files/parquet", "gsql/storage/files/arrow", "gsql/storage/files/sheet", "gsql/storage/files/sqlite"},
	"gsql/storage/files/sheet":    {"gsql/storage/files/csv", "gsql/storage/files/parquet", "gsql/storage/files/arrow", "gsql/storage/files/jsonfile", "gsql/storage/files/sqlite"},
	"gsql/storage/files/sqlite":   {"gsql/storage/files/csv", "gsql/storage/files/parquet", "gsql/storage/files/arrow", "gsql/storage/files/jsonfile", "gsql/storage/files/sheet"},
	"gsql/storage/files/csv":      {"gsql/storage/files/parquet", "gsql/storage/files/arrow", "gsql/storage/files/nested"},
	"gsql/storage/files/parquet":  {"gsql/storage/files/csv", "gsql/storage/files/arrow"},
	"gsql/storage/files/arrow":    {"gsql/storage/files/csv", "gsql/storage/files/parquet"},

	// The binder's packages, from the bottom up.
	"gsql/planner/binder/statement": {"gsql/planner/binder/"},
	"gsql/planner/binder/scope":     aboveScope,
	"gsql/planner/binder/scalar":    aboveScalar,
	"gsql/planner/binder/block":     aboveBlock,
	"gsql/planner/binder/query":     aboveQuery,
	"gsql/planner/binder/dml":       {"gsql/planner/binder/ddl"},
	"gsql/planner/binder/ddl":       {"gsql/planner/binder/dml"},
}

// formatsAnd lists the packages of the formats of files, and others of storage/files.
func formatsAnd(others ...string) []string {
	bad := []string{}
	for _, name := range append(others, "csv", "parquet", "arrow", "jsonfile", "sheet", "sqlite") {
		bad = append(bad, "gsql/storage/files/"+name)
	}
	return bad
}

// The packages of the binder that lie above each of them.
var (
	aboveQuery  = []string{"gsql/planner/binder/dml", "gsql/planner/binder/ddl"}
	aboveBlock  = append([]string{"gsql/planner/binder/query"}, aboveQuery...)
	aboveScalar = append([]string{"gsql/planner/binder/block"}, aboveBlock...)
	aboveScope  = append([]string{"gsql/planner/binder/scalar"}, aboveScalar...)
)

// deviceCode lists what packages that work on devices must not import: operators, which
// gsql/gpu/operators builds from them.
var deviceCode = []string{"gsql/planner", "gsql/exec", "gsql/gpu/operators"}

// joinParts lists what a part of gsql/exec/join must not import: some other parts, and whatever is
// above all of them.
func joinParts(others ...string) []string {
	bad := []string{"gsql/exec/join$", "gsql/exec/groupjoin", "gsql/exec/agg", "gsql/exec/window", "gsql/planner/physical"}
	for _, name := range others {
		bad = append(bad, "gsql/exec/join/"+name)
	}
	return bad
}

// covers reports whether a name in forbidden matches a package.
func covers(name, pkg string) bool {
	if exact, ok := strings.CutSuffix(name, "$"); ok {
		return pkg == exact
	}
	return strings.HasPrefix(pkg, name) && pkg+"/" != name
}

func TestDependenciesPointOneWay(t *testing.T) {
	name, err := exec.Command("go", "list", "-m").Output()
	if err != nil {
		t.Fatal("go list:", err)
	}
	module := strings.TrimSpace(string(name))
	out, err := exec.Command("go", "list", "-tags", "cuda,sim", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "./...").Output()
	if err != nil {
		t.Fatal("go list:", err)
	}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		for i, w := range words { // a fork has another module path
			if rest, ok := strings.CutPrefix(w, module); ok && (rest == "" || rest[0] == '/') {
				words[i] = "gsql" + rest
			}
		}
		for prefix, bad := range forbidden {
			if !covers(prefix, words[0]) {
				continue
			}
			for _, imported := range words[1:] {
				for _, b := range bad {
					if covers(b, imported) {
						t.Errorf("%s must not import %s", words[0], imported)
					}
				}
			}
		}
	}
}

// TestProgramLinksNoServers names packages that were once linked indirectly and made the program a
// third larger.
func TestProgramLinksNoServers(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "./cmd/gsql").Output()
	if err != nil {
		t.Fatal("go list:", err)
	}
	for name := range strings.Lines(string(out)) {
		for _, heavy := range []string{"google.golang.org/grpc", "google.golang.org/protobuf", "github.com/apache/arrow/go/v17/arrow/compute", "github.com/apache/arrow/go/v17/parquet/pqarrow"} {
			if strings.HasPrefix(name, heavy) {
				t.Errorf("cmd/gsql links %s", strings.TrimSpace(name))
			}
		}
	}
}
