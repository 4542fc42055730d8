package csv

import (
	"bytes"
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"gsql/storage/files/notation"
)

// header reports whether the first record names the columns. If the records below have types, it
// does if one of its fields does not have its column's type. If all columns are text, it does if
// its fields are distinct, look like names and do not recur below.
func (p *Part) header(first []string, body []byte) bool {
	if p.opt.Header != nil {
		return *p.opt.Header && len(first) > 0
	}
	if len(first) == 0 || len(p.opt.Columns) > 0 {
		return false
	}
	typed, value, differs, named := false, false, false, false
	for i, f := range first {
		rest, m := &p.masks[i], notation.Mask{Can: notation.AnyType}
		m.Add([]byte(f))
		below := rest.Seen && rest.Can != 0
		typed = typed || below
		switch {
		case strings.TrimSpace(f) == "": // some writers omit the name of the row-number column
			differs = differs || below && !rest.Null
		case p.isNull([]byte(f), true):
		case below:
			named, differs = named || m.Can == 0, differs || m.Can&rest.Can == 0
		default:
			named, value = named || m.Can == 0, value || m.Can != 0
		}
	}
	if typed {
		return differs && named
	}
	return !value && distinctNames(first, p.records == 0) && !p.repeats(first, body)
}

// maxName bounds the length of a field that looks like a name.
const maxName = 64

// distinctNames reports whether texts look like names and are distinct. If only is set, they are
// the only line of a file and must be identifiers.
func distinctNames(texts []string, only bool) bool {
	seen := map[string]bool{}
	for i, text := range texts {
		name := strings.ToLower(strings.TrimSpace(text))
		if name == "" && i == 0 && len(texts) > 1 {
			continue
		}
		if seen[name] || len(name) > maxName || !startsName(name) || strings.ContainsAny(name[len(name)-1:], ".!?") {
			return false
		}
		if only && strings.ContainsFunc(name, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			return false
		}
		seen[name] = true
	}
	return true
}

func startsName(name string) bool {
	r, _ := utf8.DecodeRuneInString(name)
	return unicode.IsLetter(r) || r < utf8.RuneSelf && strings.ContainsRune("_#@$%", r) && name != ""
}

// repeats reports whether a field of the first record recurs in its column.
func (p *Part) repeats(first []string, body []byte) bool {
	t := p.allFields(len(first))
	t.reset(body)
	n := t.block(1000)
	for i, f := range first {
		for row := 1; row < n; row++ {
			if string(t.raw(t.spans[i][row])) == f {
				return true
			}
		}
	}
	return false
}

// separatorLine returns the length of the first line if it is one such as sep=; by which
// spreadsheets tell each other the delimiter, and that delimiter.
func separatorLine(head []byte) (n int, delim string) {
	line, _, ok := bytes.Cut(head, []byte("\n"))
	if !ok {
		return 0, ""
	}
	text := bytes.Trim(bytes.TrimSuffix(line, []byte("\r")), `"`)
	if len(text) != len("sep=;") || !bytes.EqualFold(text[:4], []byte("sep=")) || !bytes.ContainsAny(text[4:], ",;|:\t ") {
		return 0, ""
	}
	return len(line) + 1, string(text[4:])
}

// comments returns the length of the comment lines, starting with #, at the beginning of a file.
// The last such line is the header instead if it has as many fields as the lines below.
func (p *Part) comments(ctx context.Context, head []byte, tabs bool) int {
	end := []byte(sniffDialect(ctx, head, tabs, &p.opt).lines)
	last, at, word := 0, 0, false
	for at < len(head) && head[at] == '#' {
		i := bytes.Index(head[at:], end)
		if i < 0 {
			return 0
		}
		word = word || i > 1 && head[at+1] != ' ' && head[at+1] != '#'
		last, at = at, at+i+len(end)
	}
	if at == 0 || at == len(head) {
		return 0
	}
	p.d = sniffDialect(ctx, head[at:], tabs, &p.opt)
	fields := p.fieldCount(head[at:])
	if fields > 1 && p.fieldCount(head[last:at]) == fields && (head[last+1] != ' ' || !p.startsWithNames(head[at:], fields)) {
		return last
	}
	if fields == 1 && word { // texts such as #word
		return 0
	}
	return at
}

// startsWithNames reports whether all fields of the first record are identifiers.
func (p *Part) startsWithNames(body []byte, fields int) bool {
	t := p.allFields(fields)
	t.reset(body)
	if t.block(1) == 0 {
		return false
	}
	names := make([]string, fields)
	for i := range names {
		names[i] = t.text(t.spans[i][0])
	}
	return distinctNames(names, true)
}
