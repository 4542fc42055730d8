package merge

// SmallTiles lowers the size of tiles, so that even groups of few pairs count as long, until the
// function that it returns is called.
func SmallTiles(pairs int) (undo func()) {
	before := tilePairs
	tilePairs = pairs
	return func() { tilePairs = before }
}
