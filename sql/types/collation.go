package types

import "strings"

// Collation specifies how text compares. The zero value compares bytes.
type Collation uint8

// The collations.
const (
	Bin        Collation = iota // utf8mb4_bin
	GeneralCI                   // utf8mb4_general_ci: ignores case, accents and trailing spaces
	UnicodeCI                   // utf8mb4_unicode_ci: first level of the Unicode Collation Algorithm (UCA), ignores trailing spaces
	UCA                         // utf8mb4_0900_ai_ci: first level of the UCA
	UCAAccents                  // utf8mb4_0900_as_ci: first two levels of the UCA
	UCACase                     // utf8mb4_0900_as_cs: first three levels of the UCA
)

var collations = []string{Bin: "utf8mb4_bin", GeneralCI: "utf8mb4_general_ci", UnicodeCI: "utf8mb4_unicode_ci",
	UCA: "utf8mb4_0900_ai_ci", UCAAccents: "utf8mb4_0900_as_ci", UCACase: "utf8mb4_0900_as_cs"}

// Collations lists all collations.
func Collations() []Collation {
	return []Collation{Bin, GeneralCI, UnicodeCI, UCA, UCAAccents, UCACase}
}

// String returns the collation's MySQL name.
func (c Collation) String() string { return collations[c] }

// PadSpace reports whether trailing spaces are ignored.
func (c Collation) PadSpace() bool { return c == GeneralCI || c == UnicodeCI }

// CollationCalled returns the UTF-8 collation with a MySQL name, ignoring case. All collations
// that compare bytes, of any character set, are Bin.
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

// Collated returns t with collation c if t is a text type, else t unchanged.
func (t Type) Collated(c Collation) Type {
	if t.ID == String || t.HasMembers() {
		t.Coll = c
	}
	return t
}
