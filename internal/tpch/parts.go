package tpch

import (
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v17/arrow/array"
)

// suppliersPerPart is the number of suppliers of each part.
const suppliersPerPart = 4

func fillPart(_ *scale, from, to int64, b *array.RecordBuilder) {
	for i := from; i < to; i++ {
		r := rowRandom(5, i)
		maker := r.between(1, 5)
		row(b, i+1, r.partName(), fmt.Sprintf("Manufacturer#%d", maker), fmt.Sprintf("Brand#%d%d", maker, r.between(1, 5)),
			r.pick(typeSizes)+" "+r.pick(typeFinishes)+" "+r.pick(typeMaterials), r.between(1, 50),
			r.pick(containerSizes)+" "+r.pick(containerKinds), retailPrice(i+1), r.comment(5, 22))
	}
}

// partName returns five different colours.
func (r *random) partName() string {
	var chosen []string
	used := map[string]bool{}
	for len(chosen) < 5 {
		if c := r.pick(colours); !used[c] {
			used[c] = true
			chosen = append(chosen, c)
		}
	}
	return strings.Join(chosen, " ")
}

// retailPrice is p_retailprice, a function of the part's key.
func retailPrice(part int64) cents { return cents(90_000 + part/10%20_001 + 100*(part%1000)) }

// fewSuppliers is the number of suppliers below which the specification's formula, which is for scale
// factors from 1, names one supplier of a part twice.
const fewSuppliers = 100

// supplierOf is the key of the part's i-th supplier, i in 0 to 3 (clause 4.2.3).
func (s *scale) supplierOf(part, i int64) int64 {
	step := s.suppliers/suppliersPerPart + (part-1)/s.suppliers
	if s.suppliers < fewSuppliers {
		step = 1
	}
	return (part+i*step)%s.suppliers + 1
}

func fillPartSupp(s *scale, from, to int64, b *array.RecordBuilder) {
	for i := from; i < to; i++ {
		r := rowRandom(6, i)
		part := i/suppliersPerPart + 1
		row(b, part, s.supplierOf(part, i%suppliersPerPart), r.between(1, 9999), cents(r.between(100, 100_000)), r.comment(49, 198))
	}
}
