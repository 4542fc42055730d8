package json

// RootPath is the path $, which selects the whole value.
var RootPath = &Path{}

// Search returns the paths of strings that match accepts, at and below the places of v that p
// selects. Unless all is set, it returns only the first one. It calls reserve, which may refuse, for
// the memory that the search takes if it is much.
func (p *Path) Search(v Value, all bool, match func(string) bool, reserve func(bytes int64) error) ([]string, error) {
	from, err := p.places(v, true, reserve)
	if err != nil {
		return nil, err
	}
	s := searcher{all: all, match: match, meter: meter{reserve: reserve}}
	for _, p := range from {
		s.start = p.at
		s.visit(p.v)
	}
	return s.paths, s.err
}

// searcher visits values and makes the paths of those that match.
type searcher struct {
	meter
	all   bool
	match func(string) bool
	start string
	way   []stair // from the start to the value
	paths []string
}

// stair is a step of a path: a member, or a cell if i is not negative.
type stair struct {
	key string
	i   int
}

func (s *searcher) visit(v Value) {
	if !s.all && len(s.paths) > 0 || s.err != nil {
		return
	}
	switch x := v.(type) {
	case string:
		if s.match(x) {
			s.add()
		}
	case []any:
		for i, e := range x {
			s.below(e, stair{i: i})
		}
	case map[string]any:
		for _, k := range Keys(x) {
			s.below(x[k], stair{k, -1})
		}
	}
}

func (s *searcher) below(v Value, by stair) {
	s.way = append(s.way, by)
	s.visit(v)
	s.way = s.way[:len(s.way)-1]
}

// add adds the path to the value visited.
func (s *searcher) add() {
	size := placeCost + len(s.start)
	for _, w := range s.way {
		size += len(w.key) + stepCost
	}
	if !s.take(size) {
		return
	}
	at := s.start
	for _, w := range s.way {
		at = step(at, w.key, w.i)
	}
	s.paths = append(s.paths, at)
}
