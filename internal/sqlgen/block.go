package sqlgen

import "fmt"

// Block is one SELECT, in parts that tests may separate.
type Block struct {
	Hint     string // "/*+ ... */ " or ""
	Distinct bool
	Items    []*Node // their kinds are the columns' kinds; called c0, c1 and so on
	From     *Node
	Where    *Node // nil for none
	GroupBy  []*Node
	Rollup   bool
	Having   *Node
	Aliases  []string // of the relations in From
	Split    *Node    // a predicate on From that is not part of the block
	Values   []*Node  // expressions on From that are not part of it: an integer, a string and a decimal
	Filter   *Node    // a predicate on the groups that is not part of it; nil if there are none
	Grouped  bool     // Items aggregate

	full *fullJoin // the FULL JOIN of From that can be taken apart, or nil
}

// Node returns the SELECT as a tree.
func (b *Block) Node() *Node {
	items := list(", ", 1)
	for i, item := range b.Items {
		items.Kids = append(items.Kids, N("", fmt.Sprintf("$ AS c%d", i), item))
	}
	distinct := N("", "")
	if b.Distinct {
		distinct = opt("DISTINCT ")
	}
	clause := func(keyword string, n *Node) *Node {
		if n == nil {
			return N("", "")
		}
		return opt(keyword+"$", n)
	}
	group := N("", "")
	if len(b.GroupBy) > 0 {
		keys := list(", ", 1, b.GroupBy...)
		rollup := N("", "")
		if b.Rollup {
			rollup = opt(" WITH ROLLUP")
		}
		group = opt(" GROUP BY $$", keys, rollup)
	}
	return N("", "SELECT "+b.Hint+"$$ FROM $$$$", distinct, items, b.From, clause(" WHERE ", b.Where), group, clause(" HAVING ", b.Having))
}

// And adds a condition to WHERE, in a copy of the block.
func (b *Block) And(p *Node) *Block {
	c := *b
	if c.Where == nil {
		c.Where = p
	} else {
		c.Where = N(Bool, "($ AND $)", c.Where, p)
	}
	return &c
}

// Apart splits a FULL JOIN in From into a LEFT JOIN and the rows of a RIGHT JOIN that have no
// partner, whose rows together are the block's. It calls f with each of them, whose nodes are the
// block's, and reports whether there was one.
func (b *Block) Apart(f func(part *Block)) bool {
	if b.full == nil {
		return false
	}
	word := *b.full.word
	defer func() { *b.full.word = word }()
	*b.full.word = *N("", " LEFT JOIN ")
	f(b)
	*b.full.word = *N("", " RIGHT JOIN ")
	f(b.And(N(Bool, "($ IS NULL)", b.Padded())))
	return true
}

// Padded returns a column that the FULL JOIN that Apart splits fills with NULLs, or nil.
func (b *Block) Padded() *Node {
	if b.full == nil {
		return nil
	}
	return N(Int, b.full.column)
}

// With returns a copy of the block with other columns and nothing that depends on them.
func (b *Block) With(items ...*Node) *Block {
	c := *b
	c.Items, c.Distinct, c.GroupBy, c.Having, c.Rollup = items, false, nil, nil, false
	return &c
}

// Block returns a random SELECT whose columns have the given kinds, or any kinds if none are given.
func (g *Gen) Block(kinds ...Kind) *Block {
	g.aliases, g.ctes = 0, nil
	return g.block(nil, 2, kinds)
}

func (g *Gen) block(outer *scope, depth int, kinds []Kind) *Block {
	b := &Block{}
	from, sc := g.from(outer, depth)
	b.From, b.full = from, sc.full
	for _, r := range sc.rels {
		b.Aliases = append(b.Aliases, r.name)
	}
	if len(kinds) == 0 {
		for range 1 + g.R.IntN(4) {
			kinds = append(kinds, anyKind(g))
		}
	}
	if !g.oneIn(3) {
		b.Where = g.predicate(sc, depth)
	}
	b.Split = g.predicate(sc, depth)
	for _, k := range []Kind{Int, Str, Dec} {
		b.Values = append(b.Values, g.expr(k, sc, 1))
	}
	switch g.R.IntN(5) {
	case 0, 1:
		b.Grouped = true
		g.grouped(b, sc, kinds)
	default:
		for _, k := range kinds {
			if g.Dialect.Windows && outer == nil && g.oneIn(6) {
				b.Items = append(b.Items, g.window(k, sc))
			} else {
				b.Items = append(b.Items, g.expr(k, sc, depth))
			}
		}
		b.Distinct = g.oneIn(6)
	}
	return b
}

// grouped fills a block with group keys and aggregates.
func (g *Gen) grouped(b *Block, sc *scope, kinds []Kind) {
	for range g.R.IntN(3) {
		key := g.key(sc, Int, Str, Date, Dec, Uint, Ci)
		if g.oneIn(4) {
			key = N(key.Kind, "COALESCE($, $)", key, g.expr(key.Kind, &scope{rels: sc.rels}, 0))
		} else if g.oneIn(4) {
			key = N(Bool, "($ IS NULL)", key)
		}
		b.GroupBy = append(b.GroupBy, key)
	}
	for _, k := range kinds {
		item := g.aggregate(k, sc)
		for _, key := range b.GroupBy {
			switch {
			case key.Kind == k && g.oneIn(2):
				item = key.Clone()
			case key.Kind == Ci && k == Str:
				item = upper(key.Clone())
			}
		}
		if item.Kind == Int && g.oneIn(4) {
			item = N(Int, "($ + $)", item, g.aggregate(Int, sc))
		}
		b.Items = append(b.Items, item)
	}
	b.Rollup = g.Dialect.Rollup && len(b.GroupBy) > 0 && g.oneIn(5)
	having := func() *Node {
		k := one(g, Int, Dec, Str)
		return N(Bool, "($ "+g.comparison()+" $)", g.aggregate(k, sc), N(k, literalOf(g, k)))
	}
	if b.Filter = having(); g.oneIn(3) {
		b.Having = having()
	}
}

// aggregate returns a random aggregate of a kind.
func (g *Gen) aggregate(kind Kind, sc *scope) *Node {
	e := func(k Kind) *Node { return g.expr(k, &scope{rels: sc.rels}, 1) }
	distinct := one(g, "", "", "", "DISTINCT ")
	switch {
	case kind == Int && g.oneIn(8):
		return ofOuter(g, sc)
	case kind == Int && !g.oneIn(3):
		return N(Int, "COUNT($)", one(g, N("", "*"), e(anyKind(g)), N("", "DISTINCT $", e(comparedKind(g))), N("", "DISTINCT $, $", e(Int), e(Str))))
	case kind == Dec && g.Dialect.Quotients && !g.oneIn(3):
		return meanOf(g, e)
	case kind == Dec && !g.oneIn(3):
		return N(Dec, one(g, "SUM", "SUM", "AVG")+"("+distinct+"$)", e(one(g, Int, Dec, Dec, Uint)))
	case kind == Float && g.oneIn(2):
		return N(Float, one(g, "SUM("+distinct+"$)", "AVG($)", "STDDEV_POP($)", "VAR_SAMP($)"), e(Float))
	case kind == Uint && g.oneIn(2):
		return N(Uint, one(g, "BIT_OR", "BIT_XOR", "BIT_AND")+"($)", e(Int))
	case kind == Str && g.oneIn(4):
		x := g.key(sc, Ci)
		if g.oneIn(2) {
			return upper(N(Ci, one(g, "MIN", "MAX")+"($)", x))
		}
		return upper(N(Ci, "GROUP_CONCAT("+distinct+"$ ORDER BY $"+one(g, "", " DESC")+")", x, x.Clone()))
	case kind == Str && g.oneIn(2):
		x := g.key(sc, Str, Int, Dec, Date)
		return N(Str, "GROUP_CONCAT("+distinct+"$ ORDER BY $"+one(g, "", " DESC")+"$)", x, x.Clone(), opt(" SEPARATOR ';'"))
	}
	return N(kind, one(g, "MIN", "MAX")+"($)", e(kind))
}
