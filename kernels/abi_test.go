package kernels

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// sourceHash is what ptx.sh writes into the PTX of a kernel file: of the file and the
// headers that it includes, in the order of their names.
func sourceHash(t *testing.T, file string) string {
	t.Helper()
	seen := map[string]string{}
	include(t, file, seen)
	hash := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		hash.Write([]byte(seen[name]))
	}
	return fmt.Sprintf("%x", hash.Sum(nil))
}

var includeLine = regexp.MustCompile(`(?m)^#include "([a-z_]*\.cuh)"`)

func include(t *testing.T, name string, seen map[string]string) {
	t.Helper()
	if _, ok := seen[name]; ok {
		return
	}
	text, err := fs.ReadFile(sources, name)
	if err != nil {
		t.Fatal(err)
	}
	seen[name] = string(text)
	for _, m := range includeLine.FindAllStringSubmatch(string(text), -1) {
		include(t, m[1], seen)
	}
}

func TestPTXIsOfTheseSources(t *testing.T) {
	files, err := fs.Glob(sources, "*.cu")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := PTX(strings.TrimSuffix(file, ".cu"))
		if err != nil {
			t.Errorf("%s has no PTX: %v", file, err)
			continue
		}
		hash := sourceHash(t, file)
		first, _, _ := strings.Cut(text, "\n")
		if !strings.HasSuffix(first, " "+hash) {
			t.Errorf("the PTX of %s is of other sources (%q, want %s): run kernels/ptx.sh", file, first, hash)
		}
	}
}

// entryText matches the head of an entry in PTX: name, parameters, block size.
var entryText = regexp.MustCompile(`\.visible \.entry (\w+)\(([^)]*)\)\s*\.maxntid (\d+)`)

type compiled struct {
	file    string
	params  int
	narrow  bool
	threads string
}

func compiledEntries(t *testing.T) map[string]compiled {
	t.Helper()
	entries := map[string]compiled{}
	files, err := fs.Glob(ptx, "ptx/*.ptx")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(file, "ptx/"), ".ptx")
		text, err := PTX(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range entryText.FindAllStringSubmatch(text, -1) {
			params := strings.Count(m[2], ".param")
			wide := strings.Count(m[2], ".u64") + strings.Count(m[2], ".f64")
			entries[m[1]] = compiled{name, params, wide != params, m[3]}
		}
	}
	return entries
}

func TestEntriesAreThoseOfThePTX(t *testing.T) {
	entries := compiledEntries(t)
	for _, family := range Families {
		types := family.Types
		if len(types) == 0 {
			types = []string{""}
		}
		for _, typ := range types {
			name := family.Entry(typ)
			got, ok := entries[name]
			delete(entries, name)
			want := compiled{family.FileOf(typ), len(family.Params), false, fmt.Sprint(family.Threads)}
			if !ok || got != want {
				t.Errorf("%s is %+v in the PTX (found: %v), the table says %+v", name, got, ok, want)
			}
		}
	}
	for name := range entries {
		t.Errorf("%s is not in the table", name)
	}
}

func TestTilesAreThoseOfTheSources(t *testing.T) {
	constants := map[string]string{
		"gsql_scan_exclusive": "? 20 : 40;",
		"gsql_select_rows":    "kSelectItems = 16;",
		"gsql_gather_rows":    "kMapItems = 4;",
		"gsql_radix_pass":     "kPassItems = 32;",
		"gsql_theta_count":    "? 4 : 8;",
		"gsql_expand_pairs":   "kExpandItems = 8;",
		"gsql_partition_pass": "? 10 : 20;",
		"gsql_partition_keys": "? 8 : 16;",
		"gsql_merge_counts":   "kMergeItems = 15;",
		"gsql_merge_join":     "kMergeItems = 15;",
		"gsql_merge_expand":   "kExpandItems = 64;",
	}
	for _, family := range Families {
		want := constants[family.Name]
		if want == "" {
			continue
		}
		texts := map[string]string{}
		include(t, family.Files()[0]+".cu", texts)
		text := strings.Join(slices.Collect(maps.Values(texts)), "")
		items := fmt.Sprintf("%d;", family.Items)
		if !strings.HasSuffix(want, items) || !lineHas(text, want) {
			t.Errorf("%s takes %d items a thread in the table, %s.cu and its headers lack %q", family.Name, family.Items, family.File, want)
		}
	}
}

func TestSizesAreThoseOfTheSources(t *testing.T) {
	wants := map[string][]string{
		"partition_count.cu": {fmt.Sprintf("kCountTiles = %d;", PartitionCountTiles)},
		"units.cuh":          {fmt.Sprintf("kUnitBuild = %d;", UnitBuild)},
	}
	for file, sizes := range map[string]map[string]int{
		"partition_pass.cu": PartitionShared, "radix_pass.cuh": RadixPassShared, "radix_join.cu": RadixJoinShared, "radix_fold.cu": RadixFoldShared,
	} {
		for typ, bytes := range sizes {
			wants[file] = append(wants[file], fmt.Sprintf("== %d, %q);", bytes, typ))
		}
	}
	for file, lines := range wants {
		text, err := fs.ReadFile(sources, file)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range lines {
			if !lineHas(string(text), want) {
				t.Errorf("%s lacks %s", file, want)
			}
		}
	}
}

func lineHas(text, want string) bool {
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		if strings.Contains(lines.Text(), want) {
			return true
		}
	}
	return false
}
