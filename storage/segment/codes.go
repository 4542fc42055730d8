package segment

import (
	"gsql/sql/catalog"
	"gsql/sql/vec"
)

// joining merges the codes of a segment's parts.
type joining struct {
	limit  int
	codes  []int32
	values []string
	index  map[string]int32     // codes of values; nil while all codes come from one encoder
	maps   map[*Encoder][]int32 // per encoder, the segment's code for each of its codes, or -1
}

// joinCodes returns coded parts as a view over their distinct values in order of appearance, or
// nil if there are too many values for a dictionary.
func joinCodes(def *catalog.Column, parts []*ChunkColumn, n int) *vec.Vector {
	j := &joining{limit: n / dictRatio, codes: make([]int32, 0, n), maps: map[*Encoder][]int32{}}
	for _, k := range parts {
		if k.encoder != parts[0].encoder {
			j.index = map[string]int32{}
		}
	}
	for _, k := range parts {
		if !j.add(k) {
			return nil
		}
	}
	base := &vec.Vector{Type: def.Type, N: len(j.values), Str: j.values}
	return &vec.Vector{Type: def.Type, Form: vec.View, N: n, Base: base, Idx: j.codes}
}

// add appends the codes of a part. It returns false if there are too many values.
func (j *joining) add(k *ChunkColumn) bool {
	to := j.maps[k.encoder]
	for len(to) < len(k.values) {
		to = append(to, -1)
	}
	j.maps[k.encoder] = to
	for _, c := range k.codes {
		if c < 0 {
			j.codes = append(j.codes, -1)
			continue
		}
		if to[c] < 0 {
			to[c] = j.number(k.values[c])
		}
		j.codes = append(j.codes, to[c])
	}
	return len(j.values) <= j.limit
}

// number returns the segment's code of s.
func (j *joining) number(s string) int32 {
	code, ok := j.index[s]
	if !ok {
		code = int32(len(j.values))
		j.values = append(j.values, s)
		if j.index != nil {
			j.index[s] = code
		}
	}
	return code
}
