package edit

import (
	"slices"
	"strings"

	"github.com/chzyer/readline"
)

// search is an incremental search in the history.
type search struct {
	needle []rune
	step   int    // -1 towards older entries, +1 towards newer ones
	text   []rune // before the search
	pos    int
	at     int
}

// find begins a search, or continues one with the next entry.
func (e *Editor) find(text []rune, pos, step int) ([]rune, int) {
	if e.search == nil {
		e.search = &search{text: slices.Clone(text), pos: pos, at: e.hist.at, step: step}
		e.hist.edited[e.hist.at] = string(text)
		e.announce(true)
		return text, pos
	}
	e.search.step = step
	return e.match(text, pos, e.hist.at+step)
}

// match goes to the next entry, from a place of the history on, that contains what is searched for.
func (e *Editor) match(text []rune, pos, from int) ([]rune, int) {
	s := e.search
	needle := strings.ToLower(string(s.needle))
	for at := from; at >= 0 && at <= len(e.hist.entries); at += s.step {
		entry := e.hist.text(at)
		if i := strings.Index(strings.ToLower(entry), needle); i >= 0 {
			e.hist.at = at
			e.announce(true)
			return []rune(entry), min(len([]rune(strings.ToLower(entry)[:i])), len([]rune(entry)))
		}
	}
	e.announce(false)
	return text, pos
}

// announce shows what is searched for below the text.
func (e *Editor) announce(found bool) {
	e.message = "search in history: " + string(e.search.needle)
	if !found {
		e.message = "not in history: " + string(e.search.needle)
	}
}

// searchKey handles a key during a search, and reports whether the library must not handle it.
func (e *Editor) searchKey(key rune, paste string) bool {
	switch {
	case key == readline.CharBckSearch || key == readline.CharFwdSearch:
		e.act = actions[key]
	case key == readline.CharBell || key == readline.CharInterrupt:
		e.act = func(e *Editor, _ []rune, _ int) ([]rune, int) {
			s := e.search
			e.search, e.message, e.hist.at = nil, "", s.at
			return s.text, s.pos
		}
	case key == readline.CharBackspace || key == readline.CharCtrlH:
		if n := len(e.search.needle); n > 0 {
			e.search.needle = e.search.needle[:n-1]
		}
		e.act = func(e *Editor, text []rune, pos int) ([]rune, int) { return e.match(text, pos, e.search.at) }
	case key == pasted || key >= ' ' && key != deleted:
		if key != pasted {
			paste = string(key)
		}
		e.search.needle = append(e.search.needle, []rune(strings.ReplaceAll(paste, "\n", " "))...)
		e.act = func(e *Editor, text []rune, pos int) ([]rune, int) { return e.match(text, pos, e.hist.at) }
	default:
		e.search, e.message = nil, ""
		return false
	}
	return true
}
