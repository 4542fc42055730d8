package types

import "strings"

// Collation specifies how text compares. The zero value compares bytes.
type Collation uint8

// The collations.
const (
	Bin        Collation = iota // utf8mb4_bin
	GeneralCI                   // utf8mb4_general_ci: letters without case and accents, spaces at the end do not count
	UnicodeCI                   // utf8mb4_unicode_ci: the Unicode Collation Algorithm's first level, spaces at the end do not count
	UCA                         // utf8mb4_0900_ai_ci: its first level
	UCAAccents                  // utf8mb4_0900_as_ci: its first two levels
	UCACase                     // utf8mb4_0900_as_cs: its first three levels
)

var collations = []string{Bin: "utf8mb4_bin", GeneralCI: "utf8mb4_general_ci", UnicodeCI: "utf8mb4_unicode_ci",
	UCA: "utf8mb4_0900_ai_ci", UCAAccents: "utf8mb4_0900_as_ci", UCACase: "utf8mb4_0900_as_cs"}

// Collations lists all collations.
func Collations() []Collation {
	return []Collation{Bin, GeneralCI, UnicodeCI, UCA, UCAAccents, UCACase}
}

// String returns MySQL's name.
func (c Collation) String() string { return collations[c] }

// PadSpace reports whether spaces at the end of a text do not count.
func (c Collation) PadSpace() bool { return c == GeneralCI || c == UnicodeCI }

// CollationCalled finds a collation of UTF-8 by MySQL's name, in any case; those that
// compare bytes, whatever the character set, are all Bin.
func CollationCalled(name string) (c Collation, ok bool) {
	name = strings.ToLower(name)
	if name == "binary" || strings.HasSuffix(name, "_bin") {
		return Bin, true
	}
	charset, rest, _ := strings.Cut(name, "_")
	if charset != "utf8mb4" && charset != "utf8mb3" && charset != "utf8" {
		return Bin, false
	}
	if rest == "unicode_520_ci" {
		return UnicodeCI, true
	}
	for c, known := range collations {
		if known == "utf8mb4_"+rest {
			return Collation(c), true
		}
	}
	return Bin, false
}

// Collated returns t with a collation where it is a type of text, else t itself.
func (t Type) Collated(c Collation) Type {
	if t.ID == String || t.HasMembers() {
		t.Coll = c
	}
	return t
}
