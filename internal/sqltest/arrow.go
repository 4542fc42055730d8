package sqltest

import (
	"context"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"

	"gsql"
)

// Records returns the rows of a query as Arrow records, which the end of the test releases.
func Records(t testing.TB, s *gsql.Session, text string) (*arrow.Schema, []arrow.Record) {
	t.Helper()
	r, err := s.QueryArrow(context.Background(), text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	defer r.Release()
	var out []arrow.Record
	for r.Next() {
		rec := r.Record()
		rec.Retain()
		t.Cleanup(rec.Release)
		out = append(out, rec)
	}
	if r.Err() != nil {
		t.Fatalf("%s: %v", text, r.Err())
	}
	return r.Schema(), out
}
