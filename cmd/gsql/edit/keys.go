package edit

import (
	"slices"
	"unicode"

	"github.com/chzyer/readline"
)

// action edits a text with the cursor at pos and returns what becomes of it. The editor is locked.
type action func(e *Editor, text []rune, pos int) ([]rune, int)

// actions are the keys whose meaning differs from that in the library, which knows no lines within a text.
var actions = map[rune]action{
	readline.CharPrev:      up,
	readline.CharNext:      down,
	readline.CharLineStart: func(_ *Editor, text []rune, pos int) ([]rune, int) { return text, lineStart(text, pos) },
	readline.CharLineEnd:   func(_ *Editor, text []rune, pos int) ([]rune, int) { return text, lineEnd(text, pos) },
	readline.CharCtrlU:     func(e *Editor, text []rune, pos int) ([]rune, int) { return e.kill(text, lineStart(text, pos), pos) },
	readline.CharKill:      killLine,
	readline.CharCtrlW:     killBlank,
	readline.MetaBackspace: func(e *Editor, text []rune, pos int) ([]rune, int) { return e.kill(text, wordStart(text, pos), pos) },
	readline.MetaDelete:    func(e *Editor, text []rune, pos int) ([]rune, int) { return e.kill(text, pos, wordEnd(text, pos)) },
	readline.CharCtrlY:     func(e *Editor, text []rune, pos int) ([]rune, int) { return insert(text, pos, e.killed) },
	readline.CharTranspose: transpose,
	deleted: func(_ *Editor, text []rune, pos int) ([]rune, int) {
		return slices.Delete(text, pos, min(pos+1, len(text))), pos
	},
	readline.CharBckSearch: func(e *Editor, text []rune, pos int) ([]rune, int) { return e.find(text, pos, -1) },
	readline.CharFwdSearch: func(e *Editor, text []rune, pos int) ([]rune, int) { return e.find(text, pos, +1) },
}

// nothing is what the library does at the key CharBell, apart from calling the listener.
const nothing = readline.CharBell

// filter is called for each key, before the library handles it.
func (e *Editor) filter(key rune) (rune, bool) {
	paste := ""
	if key == pasted {
		paste = e.in.pop()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.act = nil
	if e.search != nil && e.searchKey(key, paste) {
		return e.swallow(key)
	}
	if key == pasted {
		e.act = func(_ *Editor, text []rune, pos int) ([]rune, int) { return insert(text, pos, []rune(paste)) }
		return e.swallow(key)
	}
	if key == readline.CharTab && e.in.waiting() {
		e.act = func(_ *Editor, text []rune, pos int) ([]rune, int) { return insert(text, pos, []rune{'\t'}) } // it was pasted
		return e.swallow(key)
	}
	if act, ok := actions[key]; ok {
		e.act = act
		return e.swallow(key)
	}
	switch key {
	case readline.CharEnter, readline.CharCtrlJ:
		if !e.opt.Ends(string(e.text)) {
			e.act = func(_ *Editor, text []rune, pos int) ([]rune, int) { return insert(text, pos, []rune{'\n'}) }
			return e.swallow(key)
		}
		e.end()
	case readline.CharInterrupt, 0:
		e.end()
	case readline.CharDelete:
		if len(e.text) == 0 {
			e.end()
		}
	case readline.CharCtrlZ:
		e.write(e.start() + eraseBelow + pasteOff)
		e.forget()
	case readline.CharBackward, readline.CharForward, readline.CharCtrlH, readline.CharTab, readline.CharCtrlL:
	default:
		if key > 0 && key < ' ' {
			return nothing, true // the library would insert it
		}
	}
	return key, true
}

// end notes that the library is about to end the text with a line break.
func (e *Editor) end() { e.ending, e.before = true, e.text }

// swallow returns what the library is told instead of a key that it must not handle. After some keys it reads the next one only
// when that is asked for.
func (e *Editor) swallow(key rune) (rune, bool) {
	switch key {
	case readline.CharEnter, readline.CharCtrlJ, readline.CharInterrupt, readline.CharDelete:
		e.rl.Terminal.KickRead()
	}
	return nothing, true
}

// apply is called after each key. It implements readline.Listener.
func (e *Editor) apply(text []rune, pos int, key rune) ([]rune, int, bool) {
	if key != nothing {
		return nil, 0, false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.act == nil {
		return nil, 0, false
	}
	text, pos = e.act(e, text, pos)
	return text, pos, true
}

func lineStart(text []rune, pos int) int {
	for pos > 0 && text[pos-1] != '\n' {
		pos--
	}
	return pos
}

func lineEnd(text []rune, pos int) int {
	for pos < len(text) && text[pos] != '\n' {
		pos++
	}
	return pos
}

// up moves to the line above or, from the first one, to the entry before.
func up(e *Editor, text []rune, pos int) ([]rune, int) {
	start := lineStart(text, pos)
	if start == 0 {
		return e.recall(text, pos, -1)
	}
	above := lineStart(text, start-1)
	return text, min(above+pos-start, start-1)
}

// down moves to the line below or, from the last one, to the entry after.
func down(e *Editor, text []rune, pos int) ([]rune, int) {
	end := lineEnd(text, pos)
	if end == len(text) {
		return e.recall(text, pos, +1)
	}
	return text, min(end+1+pos-lineStart(text, pos), lineEnd(text, end+1))
}

// recall replaces the text by an entry of the history.
func (e *Editor) recall(text []rune, pos, by int) ([]rune, int) {
	entry, ok := e.hist.move(by, string(text))
	if !ok {
		e.write(bell)
		return text, pos
	}
	return []rune(entry), len([]rune(entry))
}

// kill removes a part of the text and keeps it for Ctrl-Y.
func (e *Editor) kill(text []rune, from, to int) ([]rune, int) {
	if from < to {
		e.killed = slices.Clone(text[from:to])
	}
	return slices.Delete(text, from, to), from
}

// killLine removes what follows in the line, or the end of the line.
func killLine(e *Editor, text []rune, pos int) ([]rune, int) {
	end := lineEnd(text, pos)
	if end == pos {
		end = min(pos+1, len(text))
	}
	return e.kill(text, pos, end)
}

// killBlank removes the word before the cursor, where blanks separate words.
func killBlank(e *Editor, text []rune, pos int) ([]rune, int) {
	from := pos
	for from > 0 && unicode.IsSpace(text[from-1]) {
		from--
	}
	for from > 0 && !unicode.IsSpace(text[from-1]) {
		from--
	}
	return e.kill(text, from, pos)
}

// transpose swaps the characters around the cursor or, at the end, those before it.
func transpose(_ *Editor, text []rune, pos int) ([]rune, int) {
	if pos == 0 || len(text) < 2 {
		return text, pos
	}
	pos = min(pos, len(text)-1)
	text[pos-1], text[pos] = text[pos], text[pos-1]
	return text, pos + 1
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// wordStart returns where the word before pos begins.
func wordStart(text []rune, pos int) int {
	for pos > 0 && !isWord(text[pos-1]) {
		pos--
	}
	for pos > 0 && isWord(text[pos-1]) {
		pos--
	}
	return pos
}

// wordEnd returns where the word after pos ends.
func wordEnd(text []rune, pos int) int {
	for pos < len(text) && !isWord(text[pos]) {
		pos++
	}
	for pos < len(text) && isWord(text[pos]) {
		pos++
	}
	return pos
}

func insert(text []rune, pos int, what []rune) ([]rune, int) {
	return slices.Insert(text, pos, what...), pos + len(what)
}
