package json

// Cursor reads the tokens of a JSON text one after the other without decoding values that are not
// needed. After a false result, Err says what is wrong.
type Cursor struct{ n normaliser }

// NewCursor returns a cursor at the start of a text.
func NewCursor(text string) *Cursor {
	return &Cursor{normaliser{lexer: lexer{text: text}, check: true}}
}

// Peek skips white space and returns the next byte, or 0 at the end.
func (c *Cursor) Peek() byte { return c.n.next() }

// Pos returns the position in the text.
func (c *Cursor) Pos() int { return c.n.pos }

// Accept skips the next byte after white space if it is b, and reports whether it was.
func (c *Cursor) Accept(b byte) bool {
	if c.n.next() != b {
		return false
	}
	c.n.pos++
	return true
}

// Name reads the name of a member and the colon after it.
func (c *Cursor) Name() (string, bool) { return c.n.name() }

// String reads a string, of which Peek has returned the quote.
func (c *Cursor) String() (string, bool) { return c.n.str() }

// Skip moves behind the value that Peek has found, which is nested in depth others, and returns its
// text.
func (c *Cursor) Skip(depth int) (string, bool) {
	from := c.n.pos
	ok := c.n.value(depth + 1)
	return c.n.text[from:c.n.pos], ok && c.n.late == nil
}

// Wide reports whether a string had bytes that are not ASCII. They have not been checked.
func (c *Cursor) Wide() bool { return c.n.wide }

// Err returns the error at the position, of a value that is nested too deeply, or of a number that is
// too big. It is nil if the text ended too early or there is none.
func (c *Cursor) Err() error { return c.n.late }
