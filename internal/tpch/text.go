package tpch

import "sync"

// poolBytes is the size of the text that comments are cut from.
const poolBytes = 8 << 20

// pool is random text according to the specification's grammar (clause 4.2.2.13), made once.
var pool = sync.OnceValue(func() string {
	r := rowRandom(0, 0)
	b := make([]byte, 0, poolBytes+1000)
	for len(b) < poolBytes {
		b = append(sentence(b, r), ' ')
	}
	return string(b[:poolBytes])
})

// comment returns lo to hi letters of the pool.
func (r *random) comment(lo, hi int64) string {
	text := pool()
	n := r.between(lo, hi)
	at := r.between(0, int64(len(text))-n)
	return text[at : at+n]
}

// sentence appends <noun phrase> <verb phrase> <terminator> or one of its longer forms.
func sentence(b []byte, r *random) []byte {
	b = verbPhrase(nounPhrase(b, r), r)
	switch r.between(0, 4) {
	case 0:
		b = prepositionalPhrase(b, r)
	case 1:
		b = nounPhrase(b, r)
	case 2:
		b = nounPhrase(prepositionalPhrase(b, r), r)
	case 3:
		b = prepositionalPhrase(nounPhrase(b, r), r)
	}
	return append(b, r.pick(terminators)...)
}

func nounPhrase(b []byte, r *random) []byte {
	switch r.between(0, 3) {
	case 0:
		return word(b, r, nouns)
	case 1:
		return word(word(b, r, adjectives), r, nouns)
	case 2:
		return word(append(word(b, r, adjectives), ", "...), r, adjectives, nouns)
	}
	return word(b, r, adverbs, adjectives, nouns)
}

func verbPhrase(b []byte, r *random) []byte {
	switch r.between(0, 3) {
	case 0:
		return word(b, r, verbs)
	case 1:
		return word(b, r, auxiliaries, verbs)
	case 2:
		return word(b, r, verbs, adverbs)
	}
	return word(b, r, auxiliaries, verbs, adverbs)
}

func prepositionalPhrase(b []byte, r *random) []byte {
	b = word(b, r, prepositions)
	return nounPhrase(append(b, " the"...), r)
}

// word appends a random word of each list.
func word(b []byte, r *random, lists ...[]string) []byte {
	for _, list := range lists {
		if n := len(b); n > 0 && b[n-1] != ' ' {
			b = append(b, ' ')
		}
		b = append(b, r.pick(list)...)
	}
	return b
}
