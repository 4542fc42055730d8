package jsonfile

// boundaries finds the ends of values in a file without parsing them. It reads every byte once.
type boundaries struct {
	array  bool // the file is an array of values
	depth  int  // of open objects and arrays within the value
	text   bool // within a string
	escape bool // after a backslash
	scalar bool // within a number or word between objects
	closed bool // the array has ended
}

// last reads data and returns the end of the last value that ends in it, or 0.
func (b *boundaries) last(data []byte) (end int) {
	for i := 0; i < len(data); i++ {
		if b.text {
			if i = b.inText(data, i); !b.text && b.depth == 0 {
				end = i + 1
			}
			continue
		}
		switch c := data[i]; c {
		case '"':
			b.text = true
		case '{', '[':
			b.depth++
		case '}', ']':
			if b.depth > 0 {
				if b.depth--; b.depth == 0 {
					end = i + 1
				}
			} else if b.scalar, b.closed = false, true; c == ']' {
				end = i + 1
			}
		case ' ', '\t', '\r', '\n', ',':
			if b.scalar {
				b.scalar, end = false, i
			}
		default:
			b.scalar = b.depth == 0
		}
	}
	return end
}

// inText returns the position of the quote that ends a string, or the last position.
func (b *boundaries) inText(data []byte, i int) int {
	if b.escape {
		b.escape = false
		return i
	}
	for ; i < len(data); i++ {
		switch data[i] {
		case '"':
			b.text = false
			return i
		case '\\':
			if i++; i == len(data) {
				b.escape = true
			}
		}
	}
	return len(data) - 1
}
