package physical

import (
	"fmt"
	"strconv"
	"strings"

	"gsql/internal/mem"
	"gsql/planner/logical"
	"gsql/sql/expr"
)

// Kind implements Op.
func (*Scan) Kind() string { return "scan" }

// Kind implements Op.
func (*Values) Kind() string { return "values" }

// Kind implements Op.
func (*Filter) Kind() string { return "filter" }

// Kind implements Op.
func (*Project) Kind() string { return "project" }

// Kind implements Op: each join algorithm is an operator of its own.
func (j *Join) Kind() string { return string(j.Algo) }

// Kind implements Op.
func (*Apply) Kind() string { return "apply" }

// Kind implements Op.
func (*HashAgg) Kind() string { return "hash_agg" }

// Kind implements Op.
func (*Rollup) Kind() string { return "rollup" }

// Kind implements Op.
func (*GroupJoin) Kind() string { return "group_join" }

// Kind implements Op.
func (s *Sort) Kind() string {
	if s.Limit >= 0 {
		return "top_n"
	}
	return "sort"
}

// Kind implements Op.
func (*Window) Kind() string { return "window" }

// Kind implements Op.
func (*Limit) Kind() string { return "limit" }

// Kind implements Op.
func (*SetOp) Kind() string { return "set_op" }

// Kind implements Op.
func (*Recursive) Kind() string { return "recursive" }

// Kind implements Op.
func (*WorkTable) Kind() string { return "work_table" }

// Kind implements Op.
func (*Shared) Kind() string { return "shared" }

// Kind implements Op.
func (*MaxOneRow) Kind() string { return "max_one_row" }

// Kind implements Op.
func (*ToDevice) Kind() string { return "to_device" }

// Kind implements Op.
func (*FromDevice) Kind() string { return "from_device" }

// Kind implements Op.
func (*Pipelines) Kind() string { return "pipelines" }

// Describe implements Op.
func (s *Scan) Describe() (string, []string) {
	name := "Scan " + s.Table.Name()
	if s.Alias != "" && s.Alias != s.Table.Name() {
		name += " as " + s.Alias
	}
	details := labelled("filter", s.Preds)
	if s.Keys != nil {
		names := make([]string, len(s.Keys.Columns))
		for i, c := range s.Keys.Columns {
			names[i] = s.Table.Schema().Columns[c].Name
		}
		details = append(details, fmt.Sprintf("by key: %s, of %d values", strings.Join(names, ", "), s.Keys.N()))
	}
	details = append(details, lookups(s.Dynamic)...)
	for _, f := range s.Dynamic {
		if f.Lookup {
			continue
		}
		details = append(details, fmt.Sprintf("dynamic filter %d: %s, keeps %.3g %%", f.ID, f.Key, 100*f.Keeps))
	}
	if s.Bound != nil {
		details = append(details, fmt.Sprintf("dynamic bound %d: %s", s.Bound.ID, s.Bound.Key))
	}
	return name, details
}

// lookups describes the columns by which a scan looks up rows.
func lookups(filters []DynamicFilter) []string {
	var keys, ids []string
	for _, f := range filters {
		if f.Lookup {
			keys, ids = append(keys, f.Key.String()), append(ids, strconv.Itoa(f.ID))
		}
	}
	switch len(keys) {
	case 0:
		return nil
	case 1:
		return []string{fmt.Sprintf("by key: %s, of dynamic filter %s", keys[0], ids[0])}
	}
	return []string{fmt.Sprintf("by key: %s, of dynamic filters %s", strings.Join(keys, ", "), strings.Join(ids, ", "))}
}

// Describe implements Op.
func (v *Values) Describe() (string, []string) {
	return fmt.Sprintf("Values (%d rows)", len(v.Rows)), nil
}

// Describe implements Op.
func (f *Filter) Describe() (string, []string) { return "Filter", labelled("", f.Preds) }

// Describe implements Op.
func (p *Project) Describe() (string, []string) { return "Project", labelled("", p.Exprs) }

var (
	algoNames = map[JoinAlgo]string{NestedLoop: "NestedLoopJoin", Hash: "HashJoin", Index: "IndexJoin", Radix: "RadixJoin", Merge: "MergeJoin", Range: "RangeJoin"}
	kindNames = [...]string{logical.Inner: "inner", logical.Left: "left", logical.Semi: "semi", logical.Anti: "anti", logical.Mark: "mark", logical.Single: "single", logical.Full: "full"}
)

// Describe implements Op.
func (j *Join) Describe() (string, []string) {
	kind := kindNames[j.Type]
	if j.Type == logical.Inner && len(j.Keys)+len(j.Ranges)+len(j.Residual) == 0 {
		kind = "cross"
	}
	details := conditions(j.Keys, j.Ranges)
	if j.BuildLeft {
		details = append(details, "build: left")
	}
	if j.Streamed {
		details = append(details, "streamed")
	}
	if j.Keep {
		details = append(details, "built once")
	}
	if j.Spread != nil {
		details = append(details, j.Spread.describe())
	}
	if p := j.Pieces; p != nil {
		details = append(details, fmt.Sprintf("%d pieces of %d x %d rows", p.Count, p.Left, p.Right))
	}
	details = append(details, labelled("residual", j.Residual)...)
	for _, f := range j.Filters {
		key := j.Keys[f.Key].R
		if j.Built() == 0 {
			key = j.Keys[f.Key].L
		}
		saves := ", on trial"
		if j.Algo == Index {
			saves = ""
		} else if f.SavesMS > 0 {
			saves = fmt.Sprintf(", saves %.3g ms", f.SavesMS)
		}
		details = append(details, fmt.Sprintf("makes dynamic filter %d: %s%s", f.ID, key, saves))
	}
	return algoNames[j.Algo] + " " + kind, details
}

func conditions(keys []KeyPair, ranges []RangePred) []string {
	var out []string
	for _, k := range keys {
		op := " = "
		if k.NullSafe {
			op = " <=> "
		}
		out = append(out, k.L.String()+op+k.R.String())
	}
	for _, r := range ranges {
		out = append(out, r.L.String()+" "+string(r.Op)+" "+r.R.String())
	}
	return out
}

// Describe implements Op.
func (j *GroupJoin) Describe() (string, []string) {
	details := append(conditions(j.Keys, j.Ranges), labelled("every pair", j.Where)...)
	for _, a := range j.Aggs {
		details = append(details, a.String())
	}
	if j.Streamed {
		details = append(details, "streamed")
	}
	if j.Outer {
		return "GroupJoin left", details
	}
	return "GroupJoin inner", details
}

// Describe implements Op.
func (a *Apply) Describe() (string, []string) {
	return "Apply " + kindNames[a.Type], append(labelled("per", a.Bind), labelled("on", a.On)...)
}

// Describe implements Op.
func (a *HashAgg) Describe() (string, []string) {
	details := labelled("by", a.Keys)
	for _, g := range a.Aggs {
		details = append(details, g.String())
	}
	if len(a.Aggs) == 0 {
		return "HashDistinct", details
	}
	return "HashAggregate", details
}

// Describe implements Op.
func (r *Rollup) Describe() (string, []string) {
	details := labelled("by", r.Keys)
	for _, g := range r.Aggs {
		details = append(details, g.String())
	}
	return "Rollup", details
}

// Describe implements Op.
func (s *Sort) Describe() (string, []string) {
	details := []string{sortKeys(s.Keys)}
	if s.Spread != nil {
		details = append(details, s.Spread.describe())
	}
	if s.Limit < 0 {
		return "Sort", details
	}
	details = append(details, offset(s.Offset)...)
	if s.Bound > 0 {
		details = append(details, fmt.Sprintf("makes dynamic bound %d", s.Bound))
	}
	return fmt.Sprintf("TopN %d", s.Limit), details
}

func sortKeys(keys []expr.SortKey) string {
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = k.String()
	}
	return strings.Join(out, ", ")
}

// Describe implements Op.
func (w *Window) Describe() (string, []string) {
	var details []string
	if len(w.Keys) > 0 {
		details = append(details, "sort: "+sortKeys(w.Keys))
	}
	for _, f := range w.Funcs {
		details = append(details, f.String()+" OVER ("+f.over(w.Keys)+")")
	}
	if w.Top > 0 {
		details = append(details, fmt.Sprintf("top of each partition: %s <= %d", w.Funcs[w.TopBy].String(), w.Top))
	}
	return "Window", details
}

// over formats the function's partition, order and frame.
func (f *WindowFunc) over(keys []expr.SortKey) string {
	var parts []string
	if f.Partition > 0 {
		by := make([]string, f.Partition)
		for i, k := range keys[:f.Partition] {
			by[i] = k.Expr.String()
		}
		parts = append(parts, "PARTITION BY "+strings.Join(by, ", "))
	}
	if f.Order > f.Partition {
		parts = append(parts, "ORDER BY "+sortKeys(keys[f.Partition:f.Order]))
	}
	if f.Frame != nil {
		parts = append(parts, f.Frame.String())
	}
	return strings.Join(parts, " ")
}

// Describe implements Op.
func (l *Limit) Describe() (string, []string) {
	if l.Count < 0 {
		return "Limit", offset(l.Offset)
	}
	return fmt.Sprintf("Limit %d", l.Count), offset(l.Offset)
}

// Describe implements Op.
func (s *SetOp) Describe() (string, []string) {
	name := [...]string{logical.Union: "Union", logical.Except: "Except", logical.Intersect: "Intersect"}[s.Set]
	if s.All {
		name += " all"
	}
	return name, nil
}

// Describe implements Op.
func (r *Recursive) Describe() (string, []string) {
	var details []string
	if r.Distinct {
		details = append(details, "distinct")
	}
	if r.Count >= 0 {
		details = append(append(details, fmt.Sprintf("limit %d", r.Count)), offset(r.Offset)...)
	}
	return "Recursive " + r.Name, details
}

// Describe implements Op.
func (w *WorkTable) Describe() (string, []string) { return "WorkTable " + w.Alias, nil }

// Describe implements Op.
func (s *Shared) Describe() (string, []string) {
	name := fmt.Sprintf("Shared %d", s.ID)
	if s.Uses > 0 {
		return name, []string{fmt.Sprintf("computed once for %d uses", s.Uses+1)}
	}
	return name, []string{"reads what is computed once"}
}

// Describe implements Op.
func (*MaxOneRow) Describe() (string, []string) { return "MaxOneRow", nil }

// Describe implements Op.
func (t *ToDevice) Describe() (string, []string) {
	if t.Resident {
		return "ToDevice", []string{"resident"}
	}
	return "ToDevice", bytesDetail(t.Bytes)
}

// Describe implements Op.
func (t *FromDevice) Describe() (string, []string) { return "FromDevice", bytesDetail(t.Bytes) }

// Describe implements Op.
func (p *Pipelines) Describe() (string, []string) {
	kernels := "1 kernel"
	if p.Kernels != 1 {
		kernels = fmt.Sprintf("%d kernels", p.Kernels)
	}
	details := []string{kernels, "reads " + mem.Size(int64(p.Bytes))}
	if p.Resident {
		details = append(details, "resident")
	}
	if p.Passes > 0 {
		details = append(details, fmt.Sprintf("joins in %d passes", p.Passes))
	}
	for _, s := range p.Streams {
		details = append(details, fmt.Sprintf("streams %s of %s in %.0f pieces", mem.Size(int64(s.Bytes)), s.Table, s.Blocks))
	}
	return "Pipelines", details
}

func bytesDetail(n float64) []string { return []string{mem.Size(int64(n))} }

func offset(n int64) []string {
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("offset %d", n)}
}

func labelled(label string, es []expr.Expr) []string {
	if len(es) == 0 {
		return nil
	}
	parts := make([]string, len(es))
	for i, e := range es {
		parts[i] = e.String()
	}
	if label == "" {
		return []string{strings.Join(parts, ", ")}
	}
	return []string{label + ": " + strings.Join(parts, ", ")}
}
