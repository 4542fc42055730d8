package tpch

// random is a stream of pseudo-random numbers (SplitMix64, Steele, Lea, Flood 2014). Every
// row has a stream of its own, so that rows can be made in any order and at once.
type random struct{ state uint64 }

// rowRandom returns the stream of a table's row.
func rowRandom(table uint64, row int64) *random {
	r := &random{table<<56 ^ uint64(row)*0xd1342543de82ef95}
	r.next()
	return r
}

func (r *random) next() uint64 {
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// between returns a number in [lo, hi], all equally likely.
func (r *random) between(lo, hi int64) int64 {
	return lo + int64(r.next()>>1)%(hi-lo+1)
}

// pick returns one of the words.
func (r *random) pick(words []string) string { return words[r.between(0, int64(len(words))-1)] }

// addressLetters are the letters of random addresses (v-strings, clause 4.2.2.7).
const addressLetters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ,"

// address returns 10 to 40 random letters.
func (r *random) address() string {
	b := make([]byte, r.between(10, 40))
	for i := range b {
		b[i] = addressLetters[r.between(0, int64(len(addressLetters))-1)]
	}
	return string(b)
}
