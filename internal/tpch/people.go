package tpch

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow/array"
)

// Of 10,000 suppliers 5 have a customer's complaint in their comment and 5 a
// recommendation (clause 4.2.3). At small scales at least one has either.
const remarkEvery = 2000

func fillSupplier(s *scale, from, to int64, b *array.RecordBuilder) {
	every := min(remarkEvery, max(s.suppliers/2, 2))
	for i := from; i < to; i++ {
		r := rowRandom(3, i)
		nation := r.between(0, 24)
		address, phone, balance, comment := r.address(), r.phone(nation), cents(r.between(-99_999, 999_999)), r.comment(25, 100)
		switch i % every {
		case every / 3:
			comment = r.remark(comment, "Complaints")
		case every / 2:
			comment = r.remark(comment, "Recommends")
		}
		row(b, i+1, fmt.Sprintf("Supplier#%09d", i+1), address, nation, phone, balance, comment)
	}
}

// remark writes "Customer" and the given word into a comment, with some of the comment's letters in
// between.
func (r *random) remark(comment, what string) string {
	gap := r.between(1, int64(len(comment)-len("Customer")-len(what)-1))
	at := r.between(0, int64(len(comment)-len("Customer")-len(what))-gap)
	between := comment[at+int64(len("Customer")):][:gap]
	rest := comment[at+int64(len("Customer"))+gap+int64(len(what)):]
	return comment[:at] + "Customer" + between + what + rest
}

func fillCustomer(_ *scale, from, to int64, b *array.RecordBuilder) {
	for i := from; i < to; i++ {
		r := rowRandom(4, i)
		nation := r.between(0, 24)
		row(b, i+1, fmt.Sprintf("Customer#%09d", i+1), r.address(), nation, r.phone(nation),
			cents(r.between(-99_999, 999_999)), r.pick(segments), r.comment(29, 116))
	}
}
