package merge

// SmallTiles makes even groups of few pairs long ones, until the function that it returns is
// called.
func SmallTiles(pairs int) (undo func()) {
	before := tilePairs
	tilePairs = pairs
	return func() { tilePairs = before }
}
