package edit

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
)

// lineBreak stands for a line break in the file of the history, in which each entry is a line. It cannot be typed.
const lineBreak = "\x1f"

// history is the list of earlier texts, the oldest first.
type history struct {
	file    string // "" for none
	most    int
	entries []string
	at      int            // of the text that is edited; len(entries) is a new one
	edited  map[int]string // what was changed since the last text was entered
}

// newHistory reads the history of a file. Without one, it is empty.
func newHistory(file string, most int) *history {
	h := &history{file: file, most: most}
	h.load()
	h.leave()
	return h
}

func (h *history) load() {
	if h.file == "" {
		return
	}
	content, err := os.ReadFile(h.file)
	if err != nil {
		return // there is none yet
	}
	for line := range strings.Lines(string(content)) {
		if entry := strings.TrimSpace(strings.ReplaceAll(line, lineBreak, "\n")); entry != "" {
			h.entries = append(h.entries, entry)
		}
	}
	if len(h.entries) > h.most {
		h.entries = h.entries[len(h.entries)-h.most:]
		_ = h.rewrite() // the file is too long at worst
	}
}

// rewrite replaces the file by one with the entries in memory.
func (h *history) rewrite() error {
	f, err := os.CreateTemp(filepath.Dir(h.file), filepath.Base(h.file)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails once it has been renamed
	w := bufio.NewWriter(f)
	for _, entry := range h.entries {
		_, _ = w.WriteString(line(entry)) // Flush returns the error
	}
	if err := w.Flush(); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), h.file)
}

// line returns the line of the file for an entry.
func line(entry string) string { return strings.ReplaceAll(entry, "\n", lineBreak) + "\n" }

// add adds an entry, unless it repeats the last one.
func (h *history) add(entry string) error {
	defer h.leave()
	if n := len(h.entries); entry == "" || n > 0 && h.entries[n-1] == entry {
		return nil
	}
	if h.entries = append(h.entries, entry); len(h.entries) > h.most {
		h.entries = h.entries[1:]
	}
	if h.file == "" {
		return nil
	}
	f, err := os.OpenFile(h.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := f.WriteString(line(entry)); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// leave returns to a new text and forgets what was changed.
func (h *history) leave() { h.at, h.edited = len(h.entries), map[int]string{} }

// move returns the text that is by entries after the present one, which keeps what was changed in it. ok is false if there is none.
func (h *history) move(by int, present string) (text string, ok bool) {
	to := h.at + by
	if to < 0 || to > len(h.entries) {
		return "", false
	}
	h.edited[h.at] = present
	h.at = to
	return h.text(to), true
}

// text returns the text at a place of the history.
func (h *history) text(at int) string {
	if text, ok := h.edited[at]; ok {
		return text
	}
	if at == len(h.entries) {
		return ""
	}
	return h.entries[at]
}
