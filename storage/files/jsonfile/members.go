package jsonfile

import (
	"gsql/storage/files/dynamic"
	"gsql/storage/files/format"
)

const (
	// mostNames is the largest number of members whose names are kept.
	mostNames = 4096
	// mostInner is the largest number of members of a nested object that become columns. An object with more
	// is taken for a map, whose keys are data.
	mostInner = 200
	// deepest is the number of objects within each other whose members become columns.
	deepest = 16
)

// members are the members of the objects at one place of the rows, in the order in which they first occur.
type members struct {
	names []string
	index map[string]int
	list  []*member
}

// member is what is known of the values of a member.
type member struct {
	members      // of the objects among the values
	crowded bool // these have too many members to be columns
	others  bool // some values are neither objects nor null
	seen    dynamic.Seen
}

// nested reports whether the members of the values become columns instead of the values.
func (m *member) nested() bool { return !m.others && len(m.names) > 0 }

// at returns the number of a member. guess is what it probably is.
func (s *members) at(name string, guess int) (int, bool) {
	if guess < len(s.names) && s.names[guess] == name {
		return guess, true
	}
	i, ok := s.index[name]
	return i, ok
}

// add returns the number of a member, which it adds if it is new.
func (s *members) add(name string, guess int, path string) (int, error) {
	if i, ok := s.at(name, guess); ok {
		return i, nil
	}
	if len(s.names) == mostNames {
		return 0, format.TooManyColumns(path, mostNames, " members with different names")
	}
	return s.append(name), nil
}

// append adds a new member and returns its number. The text of name is not kept.
func (s *members) append(name string) int {
	if s.index == nil {
		s.index = make(map[string]int)
	}
	name = string(append([]byte(nil), name...))
	s.index[name] = len(s.names)
	s.names, s.list = append(s.names, name), append(s.list, &member{})
	return len(s.names) - 1
}
