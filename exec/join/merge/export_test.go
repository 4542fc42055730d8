package merge

// SmallTiles makes long groups of few pairs, until the function that it returns is called.
func SmallTiles(pairs int) (undo func()) {
	before := tilePairs
	tilePairs = pairs
	return func() { tilePairs = before }
}
