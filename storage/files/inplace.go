package files

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/storage/files/csv"
)

// optionKeys are the options that may follow a path.
var optionKeys = []string{"format", "delimiter", "quote", "escape", "header", "skip", "columns", "types", "null", "encoding", "sheet", "table", "paths", "partition"}

// withInPlace returns the options with those of a file's name.
func (o Options) withInPlace(list []inPlace) (Options, error) {
	var err error
	for _, x := range list {
		switch x.key {
		case "format":
			f, ok := formatNames[strings.ToLower(x.value)]
			if !ok {
				return o, wrongOption(x, "Formats are csv, tsv, json, ndjson, parquet, arrow, xlsx and sqlite.")
			}
			o.format = &f
		case "delimiter":
			if o.Delimiter = unescaped(x.value); o.Delimiter == "" {
				return o, wrongOption(x, "The delimiter has at least one character; \\t is a tab, and %%26 stands for &.")
			}
		case "quote":
			o.Quote, err = oneByte(x)
		case "escape":
			o.Escape, err = oneByte(x)
		case "header":
			o.Header, err = yesNo(x)
		case "skip":
			if o.SkipLines, err = strconv.Atoi(x.value); err != nil || o.SkipLines < 0 {
				return o, wrongOption(x, "It is the number of lines to skip.")
			}
		case "columns":
			o.Options.Columns = splitList(x.value)
		case "types":
			o.Types, err = declaredTypes(x)
		case "null":
			o.NullText = append(slices.Clip(o.NullText), x.value)
		case "encoding":
			var ok bool
			if o.Charset, ok = csv.Charset(x.value); !ok {
				return o, wrongOption(x, "It is one of MySQL's character sets, such as latin1 or utf16le.")
			}
		case "sheet":
			o.Sheet = x.value
		case "table":
			o.Table = x.value
		case "paths":
			var paths *bool
			if paths, err = yesNo(x); err == nil {
				o.Whole = !*paths
			}
		default:
			return o, wrongOption(x, "Options are %s.", strings.Join(optionKeys[:len(optionKeys)-1], ", "))
		}
		if err != nil {
			return o, err
		}
	}
	return o, nil
}

// unescaped replaces \t, \n and \\.
func unescaped(s string) string {
	return strings.NewReplacer(`\t`, "\t", `\n`, "\n", `\\`, `\`).Replace(s)
}

// oneByte returns the byte of an option that is a character, or zero for none.
func oneByte(x inPlace) (*byte, error) {
	b, s := byte(0), unescaped(x.value)
	if len(s) > 1 {
		return nil, wrongOption(x, "It is one byte, or nothing if there is none.")
	}
	if s != "" {
		b = s[0]
	}
	return &b, nil
}

func yesNo(x inPlace) (*bool, error) {
	yes := true
	switch strings.ToLower(x.value) {
	case "yes", "true", "on", "1":
	case "no", "false", "off", "0":
		yes = false
	default:
		return nil, wrongOption(x, "It is yes or no.")
	}
	return &yes, nil
}

// splitList splits a list at commas outside of parentheses.
func splitList(s string) (list []string) {
	depth, from := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				list, from = append(list, strings.TrimSpace(s[from:i])), i+1
			}
		}
	}
	return append(list, strings.TrimSpace(s[from:]))
}

// declaredTypes reads a list such as id:bigint,price:decimal(10,2).
func declaredTypes(x inPlace) (map[string]types.Type, error) {
	all := map[string]types.Type{}
	for _, one := range splitList(x.value) {
		at := strings.LastIndexByte(one, ':')
		if at <= 0 {
			return nil, wrongOption(x, "Types are written as id:bigint,name:varchar(20).")
		}
		t, ok := typeNamed(one[at+1:])
		if !ok {
			return nil, wrongOption(x, "'%s' is no type; types are written as id:bigint,name:varchar(20).", one[at+1:])
		}
		all[one[:at]] = t
	}
	return all, nil
}

// declared returns the error of an option types that names a column that is not there.
func declared(list []inPlace, cols []catalog.Column) error {
	for _, x := range list {
		if x.key != "types" {
			continue
		}
		all, err := declaredTypes(x)
		if err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if hasColumn(cols, name) {
				continue
			}
			var names []string
			for _, c := range cols {
				if !c.Hidden {
					names = append(names, c.Name)
				}
			}
			return wrongOption(x, "There is no column '%s'. The columns are %s.", name, strings.Join(names[:min(len(names), 20)], ", "))
		}
	}
	return nil
}

var typeNames = map[string]types.ID{
	"bool": types.Bool, "boolean": types.Bool, "tinyint": types.Int8, "smallint": types.Int16, "int": types.Int32, "integer": types.Int32, "bigint": types.Int64,
	"tinyint unsigned": types.Uint8, "smallint unsigned": types.Uint16, "int unsigned": types.Uint32, "integer unsigned": types.Uint32, "bigint unsigned": types.Uint64,
	"float": types.Float32, "double": types.Float64, "decimal": types.Decimal, "numeric": types.Decimal,
	"text": types.String, "varchar": types.String, "char": types.String, "blob": types.Bytes, "varbinary": types.Bytes,
	"date": types.Date, "datetime": types.Datetime, "timestamp": types.Timestamp, "time": types.Time, "year": types.Year, "json": types.JSON,
}

// typeNamed returns the type with MySQL's name.
func typeNamed(s string) (types.Type, bool) {
	name, args, found := strings.Cut(strings.ToLower(strings.TrimSpace(s)), "(")
	var n [2]int
	if found {
		list, ok := strings.CutSuffix(args, ")")
		parts := strings.Split(list, ",")
		for i, p := range parts {
			var err error
			if i > 1 || !ok {
				return types.Type{}, false
			}
			if n[i], err = strconv.Atoi(strings.TrimSpace(p)); err != nil || n[i] < 0 {
				return types.Type{}, false
			}
		}
	}
	id, ok := typeNames[strings.Join(strings.Fields(name), " ")]
	t := types.T(id)
	switch {
	case !ok:
		return t, false
	case id == types.Decimal:
		if !found {
			n[0] = 10
		}
		return types.Dec(n[0], n[1]), n[0] > 0 && n[0] <= types.MaxPrecision && n[1] <= n[0]
	case id == types.String || id == types.Bytes:
		t.Len = uint32(n[0])
	case id == types.Datetime || id == types.Timestamp || id == types.Time:
		t.Prec = uint8(min(n[0], 6))
		return t, n[0] <= 6
	default:
		return t, !found
	}
	return t, true
}

// withInPlace returns the options with those of a file's name.
func (o WriteOptions) withInPlace(list []inPlace) (WriteOptions, error) {
	var err error
	for _, x := range list {
		switch x.key {
		case "format":
			f, ok := formatNames[strings.ToLower(x.value)]
			if !ok {
				return o, wrongOption(x, "Formats are csv, tsv, json, ndjson, parquet and arrow.")
			}
			o.format = &f
		case "delimiter":
			o.Delimiter = unescaped(x.value)
		case "quote":
			o.Quote, err = oneByte(x)
		case "escape":
			o.Escape, err = oneByte(x)
		case "header":
			o.Header, err = yesNo(x)
		case "null":
			o.NullText = &x.value
		case "partition":
			o.partition = splitList(x.value)
		default:
			return o, wrongOption(x, "Options of files that are written are delimiter, escape, format, header, null, partition and quote.")
		}
		if err != nil {
			return o, err
		}
	}
	return o, nil
}
