package json

// RootPath is the path $, which selects the whole value.
var RootPath = &Path{}

// Search returns the paths of strings that match accepts, at and below the places of v that p
// selects. Unless all is set, it returns only the first one.
func (p *Path) Search(v Value, all bool, match func(string) bool) []string {
	s := searcher{all: all, match: match}
	for _, from := range p.places(v, true) {
		s.visit(from.v, from.at)
	}
	return s.paths
}

type searcher struct {
	all   bool
	match func(string) bool
	paths []string
}

func (s *searcher) visit(v Value, at string) {
	if !s.all && len(s.paths) > 0 {
		return
	}
	switch x := v.(type) {
	case string:
		if s.match(x) {
			s.paths = append(s.paths, at)
		}
	case []any:
		for i, e := range x {
			s.visit(e, step(at, "", i))
		}
	case map[string]any:
		for _, k := range Keys(x) {
			s.visit(x[k], step(at, k, -1))
		}
	}
}
