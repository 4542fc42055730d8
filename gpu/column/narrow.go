package column

import "gsql/gpu"

// Narrow is a column of a table in device memory as pipelines read it: integers in as few bytes as
// their bounds allow, with a bias, and bits for NULLs. Decimals of at most 18 digits are integers
// scaled by their type; texts are codes of a Dictionary. It is read-only.
//
// Values and Valid are readable up to the next multiple of gpu.Alignment after the last row.
type Narrow struct {
	Float bool  // doubles, of 8 bytes
	Width int   // bytes of a value: 1, 2, 4 or 8
	Bias  int64 // value = stored number + Bias; stored numbers are unsigned unless Width is 8
	// Min and Max are bounds of the values that are not NULL (integers); 0 and 0 if there are none.
	Min, Max int64
	Rows     int64
	Values   gpu.Ptr
	// Valid has a bit for each row, set if the row is not NULL, in little-endian 32-bit words. It
	// is 0 if no row is NULL. The stored values of NULL rows are 0.
	Valid gpu.Ptr
	// Texts is the dictionary of a text column, else nil.
	Texts *Dictionary
}

// Dictionary holds the distinct texts of a column in ascending order of their bytes. The code of a
// text is its position. A Dictionary is immutable.
type Dictionary struct {
	Texts []string
}
