package files

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/files/format"
	"gsql/storage/files/notation"
)

// Directories named key=value become columns of the files in them, as in Hive. They follow the files'
// own columns.

// noPartition is Hive's directory name for NULL.
const noPartition = "__HIVE_DEFAULT_PARTITION__"

// partitions holds the columns derived from directory names.
type partitions struct {
	cols  []catalog.Column
	dicts []*vec.Vector // by column: the distinct values
	codes [][]int32     // by column and file: index of the value, -1 for NULL
}

// partitionsOf returns the keys that all paths have in the same order, except those that are
// columns of the files.
func partitionsOf(paths []string, own []catalog.Column) *partitions {
	p := &partitions{}
	keys, _ := keysOf(paths[0])
	texts := make([][]string, len(keys)) // by key and file
	for _, path := range paths {
		k, values := keysOf(path)
		if !slices.Equal(k, keys) {
			return p
		}
		for i, v := range values {
			texts[i] = append(texts[i], v)
		}
	}
	for i, key := range keys {
		if !hasColumn(own, key) && !hasColumn(p.cols, key) {
			p.add(key, texts[i])
		}
	}
	return p
}

// Names of the hidden columns of files.
const (
	pathColumn = "filename"
	rowColumn  = "file_row_number"
)

// addPaths adds the hidden column of the files' paths, unless a column has its name.
func (p *partitions) addPaths(paths []string, own []catalog.Column) {
	if hasColumn(own, pathColumn) || hasColumn(p.cols, pathColumn) {
		return
	}
	p.addTexts(pathColumn, types.T(types.String), paths)
	last := &p.cols[len(p.cols)-1]
	last.Hidden, last.NotNull = true, true
}

// hasColumn reports whether a column has a name.
func hasColumn(cols []catalog.Column, name string) bool {
	return slices.ContainsFunc(cols, func(c catalog.Column) bool { return catalog.EqualFold(c.Name, name) })
}

// keysOf returns the keys and values in the directories of a path.
func keysOf(path string) (keys, values []string) {
	for _, dir := range strings.Split(filepath.ToSlash(filepath.Dir(path)), "/") {
		key, value, ok := strings.Cut(dir, "=")
		if !ok || key == "" {
			continue
		}
		keys, values = append(keys, unescapedPath(key)), append(values, unescapedPath(value))
	}
	return keys, values
}

func unescapedPath(s string) string {
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}

// add adds the column of a key, given its value for each file. The column is an integer or a date
// if all values are.
func (p *partitions) add(key string, texts []string) { p.addTexts(key, partitionType(texts), texts) }

// addTexts adds a column of type t, given the text of its value for each file.
func (p *partitions) addTexts(key string, t types.Type, texts []string) {
	var codes []int32
	known := map[catalog.Datum]int32{}
	var distinct []catalog.Datum
	for _, text := range texts {
		if text == noPartition {
			codes = append(codes, -1)
			continue
		}
		d := catalog.Datum{Type: t}
		switch t.ID {
		case types.Int64:
			d.I64, _ = notation.ParseInt([]byte(text))
		case types.Date:
			d.I64, _ = notation.ParseDate([]byte(text))
		default:
			d.Str = text
		}
		if _, ok := known[d]; !ok {
			known[d] = int32(len(distinct))
			distinct = append(distinct, d)
		}
		codes = append(codes, known[d])
	}
	dict := vec.NewFlat(t, len(distinct))
	for i, d := range distinct {
		d.Put(dict, i)
	}
	dict.Dict = true
	p.cols = append(p.cols, catalog.Column{Name: key, Type: t, NotNull: !slices.Contains(codes, -1)})
	p.dicts, p.codes = append(p.dicts, dict), append(p.codes, codes)
}

func partitionType(texts []string) types.Type {
	ints, dates, some := true, true, false
	for _, s := range texts {
		if s == noPartition {
			continue
		}
		some = true
		_, isInt := notation.ParseInt([]byte(s))
		_, isDate := notation.ParseDate([]byte(s))
		ints, dates = ints && isInt, dates && isDate
	}
	switch {
	case some && ints:
		return types.T(types.Int64)
	case some && dates:
		return types.T(types.Date)
	}
	return types.T(types.String)
}

// datum returns the value of column c in a file.
func (p *partitions) datum(c, file int) catalog.Datum {
	code := p.codes[c][file]
	if code < 0 {
		return catalog.NullOf(p.cols[c].Type)
	}
	return catalog.DatumAt(p.dicts[c], int(code))
}

// prunes reports whether no row of a file can satisfy all ranges. first is the ordinal of the
// first partition column.
func (p *partitions) prunes(file, first int, ranges []catalog.Range) bool {
	for _, r := range ranges {
		c := r.Column - first
		if c < 0 || c >= len(p.cols) {
			continue
		}
		d, t := p.datum(c, file), p.cols[c].Type
		if d.Null || format.Comparable(t, r.Lo) && d.Compare(*r.Lo) < 0 || format.Comparable(t, r.Hi) && d.Compare(*r.Hi) > 0 {
			return true
		}
	}
	return false
}

// fill sets dst to n rows of column c of a file. It reuses the index of dst.
func (p *partitions) fill(c, file, n int, dst *vec.Vector) {
	idx, code := dst.Idx[:cap(dst.Idx)], p.codes[c][file]
	if len(idx) < n || idx[0] != code {
		idx = slices.Repeat([]int32{code}, max(n, vec.BatchSize))
	}
	*dst = vec.Vector{Type: p.cols[c].Type, Form: vec.View, N: n, Base: p.dicts[c], Idx: idx[:n]}
}

// count sets the numbers of distinct values in the statistics of all files.
func (p *partitions) count(first int, s *catalog.Stats) {
	for c := range p.cols {
		if first+c < len(s.Columns) {
			s.Columns[first+c].NDV = int64(p.dicts[c].N)
		}
	}
}

// describe adds the columns of a file to its statistics.
func (p *partitions) describe(file int, s *catalog.Stats) *catalog.Stats {
	if len(p.cols) == 0 || len(s.Columns) == 0 {
		return s
	}
	all := *s
	all.Columns = slices.Clone(s.Columns)
	for c := range p.cols {
		d := p.datum(c, file)
		stats := catalog.ColumnStats{NDV: 1, Min: &d, Max: &d, AvgLen: float64(len(d.Str))}
		if d.Null {
			stats = catalog.ColumnStats{Nulls: s.Rows}
		}
		all.Columns = append(all.Columns, stats)
	}
	return &all
}
