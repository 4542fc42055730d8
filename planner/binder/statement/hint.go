package statement

import (
	"strings"

	"gsql/sql/parse"
)

// Hint is a hint in the statement's text.
type Hint struct {
	parse.Hint
	Used bool
	Vain string // reason why the hint cannot be obeyed, if the hints alone determine it
}

// newHints returns the hints, each assigned to its query block: a hint for tables of several
// blocks named by QB_NAME becomes one hint in each of these blocks.
func newHints(list []parse.Hint) []Hint {
	out := make([]Hint, 0, len(list))
	ends, named := map[string]int{}, map[int]bool{}
	for _, h := range list {
		if h.Name == "QB_NAME" {
			x := Hint{Hint: h}
			x.nameBlock(ends, named)
			out = append(out, x)
		}
	}
	for _, h := range list {
		if h.Name != "QB_NAME" {
			out = append(out, placed(h, ends)...)
		}
	}
	return out
}

// nameBlock records the name that a QB_NAME assigns to the block of its comment. Names ignore
// case.
func (h *Hint) nameBlock(ends map[string]int, named map[int]bool) {
	if len(h.Args) != 1 || h.Block+h.Blocks[0] != "" {
		h.Vain = "it wants one name"
		return
	}
	name := strings.ToLower(h.Args[0])
	switch _, taken := ends[name]; {
	case taken:
		h.Vain = "another query block has this name"
	case named[h.End]:
		h.Vain = "the query block has a name"
	default:
		ends[name], named[h.End], h.Used = h.End, true, true
	}
}

// placed splits a hint by the blocks of its arguments. Arguments without a block name stay in the
// hint's own block.
func placed(h parse.Hint, ends map[string]int) []Hint {
	blocks := make([]string, 0, 1)
	byBlock := map[string][]int{}
	note := func(block string, arg int) {
		if _, ok := byBlock[block]; !ok {
			blocks = append(blocks, block)
		}
		if byBlock[block] = append(byBlock[block], arg); arg < 0 {
			byBlock[block] = nil
		}
	}
	for i, block := range h.Blocks {
		if block == "" {
			block = h.Block
		}
		note(strings.ToLower(block), i)
	}
	if len(h.Args) == 0 {
		note(strings.ToLower(h.Block), -1)
	}
	out := make([]Hint, 0, len(blocks))
	for _, block := range blocks {
		x := Hint{Hint: h}
		x.Args, x.Blocks = nil, nil
		for _, i := range byBlock[block] {
			x.Args, x.Blocks = append(x.Args, h.Args[i]), append(x.Blocks, h.Blocks[i])
		}
		if end, ok := ends[block]; ok {
			x.End = end
		} else if block != "" {
			x.End, x.Vain = -1, "no query block is named "+block
		}
		out = append(out, x)
	}
	return out
}
