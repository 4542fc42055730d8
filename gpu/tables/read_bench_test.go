package tables

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage"
)

// benchColumns are columns like those of TPC-H: a sequential key, a price, a discount, a date, and texts of
// which few, many and nearly all are distinct.
var benchColumns = []catalog.Column{
	{Name: "key", Type: types.T(types.Int32), NotNull: true}, {Name: "price", Type: types.Dec(15, 2), NotNull: true},
	{Name: "discount", Type: types.Dec(15, 2), NotNull: true}, {Name: "date", Type: types.T(types.Date), NotNull: true},
	{Name: "flag", Type: types.T(types.String), NotNull: true}, {Name: "brand", Type: types.T(types.String), NotNull: true},
	{Name: "clerk", Type: types.T(types.String), NotNull: true}, {Name: "comment", Type: types.T(types.String), NotNull: true},
}

const benchRows = 2 << 20

var benchTable = sync.OnceValues(func() (catalog.Table, error) {
	store := storage.NewStore(nil)
	tx := store.Begin()
	if err := tx.DDL().CreateTable("", "t", &catalog.Schema{Columns: benchColumns}); err != nil {
		return nil, err
	}
	o, err := tx.Table(context.Background(), "", "t")
	if err != nil {
		return nil, err
	}
	r := rand.New(rand.NewPCG(1, 2))
	const batch = 1 << 16
	for from := 0; from < benchRows; from += batch {
		cols := make([]*vec.Vector, len(benchColumns))
		for i, c := range benchColumns {
			cols[i] = vec.NewFlat(c.Type, batch)
		}
		for i := range batch {
			cols[0].I64[i] = int64(from+i) / 4
			cols[1].Dec[i] = decimal128.FromI64(90000 + r.Int64N(10_000_000))
			cols[2].Dec[i] = decimal128.FromI64(r.Int64N(11))
			cols[3].I64[i] = 8035 + r.Int64N(2500)
			cols[4].Str[i] = "ANR"[r.IntN(3):][:1]
			cols[5].Str[i] = fmt.Sprint("Brand#", r.IntN(150))
			cols[6].Str[i] = fmt.Sprintf("Clerk#%09d", r.IntN(10_000))
			cols[7].Str[i] = fmt.Sprint("carefully final deposits ", r.Uint64())
		}
		if err := tx.Insert(context.Background(), o.Table, [][]*vec.Vector{cols}); err != nil {
			return nil, err
		}
		if o, err = tx.Table(context.Background(), "", "t"); err != nil {
			return nil, err
		}
	}
	if err := tx.Commit(); err != nil {
		return nil, err
	}
	o, err = store.Begin().Table(context.Background(), "", "t")
	return o.Table, err
})

// BenchmarkRead reads columns of a table and lays them out as the device receives them, without a device.
func BenchmarkRead(b *testing.B) {
	table, err := benchTable()
	if err != nil {
		b.Fatal(err)
	}
	out := make([]byte, 16<<20)
	for i, c := range benchColumns {
		b.Run(c.Name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(benchRows)
			for range b.N {
				ctx := &op.Ctx{Context: context.Background(), Mem: mem.NewRoot("query", 0), Workers: 2}
				s := newScan(ctx, table, []int{i})
				if err := s.read(); err != nil {
					b.Fatal(err)
				}
				l, err := s.layout(0)
				if err != nil {
					b.Fatal(err)
				}
				l.Values(out[:l.Rows*int64(l.Width)], 0)
				s.free()
			}
		})
	}
}
