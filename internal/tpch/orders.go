package tpch

import (
	"fmt"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

// The dates of clause 4.2.2.12.
var (
	startDate   = date(1992, time.January, 1)
	currentDate = date(1995, time.June, 17)
	endDate     = date(1998, time.December, 31)
)

func date(y int, m time.Month, d int) arrow.Date32 {
	return arrow.Date32FromTime(time.Date(y, m, d, 0, 0, 0, 0, time.UTC))
}

// order is a row of orders with its lines.
type order struct {
	customer                         int64
	date                             arrow.Date32
	status, priority, clerk, comment string
	total                            cents
	lines                            []orderLine
}

type orderLine struct {
	part, supplier, quantity, discount, tax   int64
	price                                     cents
	ship, commit, receipt                     arrow.Date32
	returned, status, instruct, mode, comment string
}

// orderKey returns the key of the i-th order: of every 32 keys, the first 8 are used.
func orderKey(i int64) int64 { return i/8*32 + i%8 + 1 }

// orderAt makes the i-th order, for both tables.
func (s *scale) orderAt(i int64) *order {
	r := rowRandom(7, i)
	o := &order{
		date: startDate + arrow.Date32(r.between(0, int64(endDate-startDate)-151)), priority: r.pick(priorities),
		clerk: fmt.Sprintf("Clerk#%09d", r.between(1, s.clerks)), comment: r.comment(19, 78),
	}
	// A third of the customers have no orders.
	for o.customer = r.between(1, s.customers); o.customer%3 == 0 && s.customers > 2; {
		o.customer = r.between(1, s.customers)
	}
	open := 0
	for range r.between(1, 7) {
		l := s.line(r, o.date)
		if l.status == "O" {
			open++
		}
		// extendedprice * (1 + tax) * (1 - discount), rounded to cents
		o.total += (l.price*cents(100+l.tax)*cents(100-l.discount) + 5000) / 10_000
		o.lines = append(o.lines, l)
	}
	switch open {
	case 0:
		o.status = "F"
	case len(o.lines):
		o.status = "O"
	default:
		o.status = "P"
	}
	return o
}

func (s *scale) line(r *random, ordered arrow.Date32) orderLine {
	l := orderLine{part: r.between(1, s.parts), quantity: r.between(1, 50), discount: r.between(0, 10), tax: r.between(0, 8)}
	l.supplier = s.supplierOf(l.part, r.between(0, suppliersPerPart-1))
	l.price = retailPrice(l.part) * cents(l.quantity)
	l.ship = ordered + arrow.Date32(r.between(1, 121))
	l.commit = ordered + arrow.Date32(r.between(30, 90))
	l.receipt = l.ship + arrow.Date32(r.between(1, 30))
	l.returned, l.status = "N", "F"
	if l.receipt <= currentDate {
		l.returned = r.pick([]string{"R", "A"})
	}
	if l.ship > currentDate {
		l.status = "O"
	}
	l.instruct, l.mode, l.comment = r.pick(instructions), r.pick(modes), r.comment(10, 43)
	return l
}

func fillOrders(s *scale, from, to int64, b *array.RecordBuilder) {
	for i := from; i < to; i++ {
		o := s.orderAt(i)
		row(b, orderKey(i), o.customer, o.status, o.total, o.date, o.priority, o.clerk, int64(0), o.comment)
	}
}

func fillLineItem(s *scale, from, to int64, b *array.RecordBuilder) {
	for i := from; i < to; i++ {
		for n, l := range s.orderAt(i).lines {
			row(b, orderKey(i), l.part, l.supplier, int64(n+1), cents(100*l.quantity), l.price, cents(l.discount), cents(l.tax),
				l.returned, l.status, l.ship, l.commit, l.receipt, l.instruct, l.mode, l.comment)
		}
	}
}
