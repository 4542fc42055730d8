package segfile

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/segment"
)

// damagedAt returns the place that an error names, and whether it is one about damage.
func damagedAt(err error) (*Damaged, bool) {
	var d *Damaged
	ok := errors.As(err, &d) && errors.Is(err, sqlerr.FileCorrupt)
	return d, ok
}

// tiny returns a segment of a few columns and rows.
func tiny(t testing.TB) (*catalog.Schema, *segment.Segment) {
	rng := rand.New(rand.NewSource(2))
	schema := &catalog.Schema{}
	var cols []*vec.Vector
	for i, x := range []types.Type{types.T(types.Int32), types.T(types.String), types.Dec(12, 2)} {
		schema.Columns = append(schema.Columns, catalog.Column{Name: string(rune('a' + i)), Type: x})
		cols = append(cols, shapesOfColumns[1].column(rng, x, 20))
	}
	seg, err := segment.Seal(nil, schema, cols)
	must(t, err)
	for i := range seg.Cols {
		seg.Cols[i].Zone.Sketch = nil // 4 KB, which another file has
	}
	return schema, seg
}

// TestEveryBit flips each bit of a file. Check finds all, and reading a column returns the right
// values or an error that names the column's block.
func TestEveryBit(t *testing.T) {
	dir, f := newFilesIn(t)
	schema, seg := tiny(t)
	description := f.Encode(nil, written(t, f, 5, schema, seg))
	path := filepath.Join(dir, fileName(5))
	intact, err := os.ReadFile(path)
	must(t, err)
	for bit := range 8 * len(intact) {
		bad := append([]byte(nil), intact...)
		bad[bit/8] ^= 1 << (bit % 8)
		must(t, os.WriteFile(path, bad, 0o600))
		f := New(f.fs, nil, 0)
		if d, ok := damagedAt(errors.Join(f.Check(t.Context(), 5)...)); !ok || d.File != path || d.Offset > int64(bit/8) && bit/8 < len(intact)-tailBytes-8 {
			t.Fatalf("bit %d of %d: Check returns %v", bit, 8*len(intact), errors.Join(f.Check(t.Context(), 5)...))
		}
		got, _, err := f.Decode(description, schema)
		must(t, err)
		checkReads(t, bit, got, seg, schema)
		must(t, f.Close())
	}
}

// checkReads reads the columns of a segment whose file has a wrong bit.
func checkReads(t *testing.T, bit int, got, want *segment.Segment, schema *catalog.Schema) {
	t.Helper()
	for c := range got.Cols {
		r := got.Cols[c].Source().(*column).ref
		hit := int64(bit/8) >= r.Offset && int64(bit/8) < r.Offset+r.Length || bit/8 < headBytes
		_, err := got.Cols[c].Data()
		if d, ok := damagedAt(err); hit != ok || ok && d.Offset != r.Offset && d.Offset != 0 {
			t.Fatalf("bit %d: column %d at %d to %d: %v", bit, c, r.Offset, r.Offset+r.Length, err)
		}
		if hit {
			continue
		}
		must(t, err)
		sameColumn(t, &schema.Columns[c], &got.Cols[c], &want.Cols[c])
	}
}

// newFilesIn is newFiles with the folder's path.
func newFilesIn(t testing.TB) (dir string, f *Files) {
	f, fs := newFiles(t, nil, 0)
	return fs.String(), f
}

// TestEveryLength cuts a file off at each byte.
func TestEveryLength(t *testing.T) {
	dir, f := newFilesIn(t)
	schema, seg := tiny(t)
	description := f.Encode(nil, written(t, f, 5, schema, seg))
	path := filepath.Join(dir, fileName(5))
	intact, err := os.ReadFile(path)
	must(t, err)
	for n := range len(intact) {
		must(t, os.WriteFile(path, intact[:n], 0o600))
		f := New(f.fs, nil, 0)
		if _, ok := damagedAt(errors.Join(f.Check(t.Context(), 5)...)); !ok {
			t.Fatalf("%d bytes of %d: Check returns %v", n, len(intact), errors.Join(f.Check(t.Context(), 5)...))
		}
		got, _, err := f.Decode(description, schema)
		must(t, err)
		for c := range got.Cols {
			r := got.Cols[c].Source().(*column).ref
			if _, err := got.Cols[c].Data(); (err == nil) != (r.Offset+r.Length <= int64(n)) {
				t.Fatalf("%d bytes: column %d at %d to %d: %v", n, c, r.Offset, r.Offset+r.Length, err)
			} else if _, ok := damagedAt(err); err != nil && !ok {
				t.Fatalf("%d bytes: %v", n, err)
			}
		}
		must(t, f.Close())
	}
}

// TestWrongFile puts files in each other's place, and blocks as well.
func TestWrongFile(t *testing.T) {
	dir, f := newFilesIn(t)
	schema, seg := tiny(t)
	description := f.Encode(nil, written(t, f, 5, schema, seg))
	written(t, f, 6, schema, seg)
	other, err := os.ReadFile(filepath.Join(dir, fileName(6)))
	must(t, err)
	intact, err := os.ReadFile(filepath.Join(dir, fileName(5)))
	must(t, err)
	swapped := append(append([]byte(nil), intact[:headBytes]...), other[headBytes:]...)
	for _, bad := range [][]byte{other, swapped} {
		must(t, os.WriteFile(filepath.Join(dir, fileName(5)), bad, 0o600))
		f := New(f.fs, nil, 0)
		if _, ok := damagedAt(errors.Join(f.Check(t.Context(), 5)...)); !ok {
			t.Errorf("Check returns %v", errors.Join(f.Check(t.Context(), 5)...))
		}
		got, _, err := f.Decode(description, schema)
		must(t, err)
		if _, ok := damagedAt(readAll(got)); !ok {
			t.Errorf("reading returns %v", readAll(got))
		}
		must(t, f.Close())
	}
	must(t, os.Remove(filepath.Join(dir, fileName(5))))
	got, _, err := New(f.fs, nil, 0).Decode(description, schema)
	must(t, err)
	if err := readAll(got); !errors.Is(err, sqlerr.ErrorOnRead) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("reading without a file returns %v", err)
	}
}

// TestNewerVersion reads a file of a version that is not known.
func TestNewerVersion(t *testing.T) {
	dir, f := newFilesIn(t)
	schema, seg := tiny(t)
	description := f.Encode(nil, written(t, f, 5, schema, seg))
	path := filepath.Join(dir, fileName(5))
	newer, err := os.ReadFile(path)
	must(t, err)
	newer[len(headMagic)] = version + 1
	binary.LittleEndian.PutUint32(newer[headBytes-checkBytes:], crc32.Checksum(newer[:headBytes-checkBytes], castagnoli))
	must(t, os.WriteFile(path, newer, 0o600))
	f = New(f.fs, nil, 0)
	got, _, err := f.Decode(description, schema)
	must(t, err)
	for _, err := range []error{errors.Join(f.Check(t.Context(), 5)...), readAll(got)} {
		if _, ok := damagedAt(err); ok || err == nil || !strings.Contains(err.Error(), path+" has version 2") || !strings.Contains(err.Error(), "knows version 1") {
			t.Errorf("%v", err)
		}
	}
}

// readAll returns the first error of reading the columns.
func readAll(s *segment.Segment) error {
	for c := range s.Cols {
		if _, err := s.Cols[c].Data(); err != nil {
			return err
		}
	}
	return nil
}

// TestMalformedBlocks reads blocks that are damaged although their checksums are right, and
// descriptions that are.
func TestMalformedBlocks(t *testing.T) {
	rng := rand.New(rand.NewSource(3))
	f, _ := newFiles(t, nil, 0)
	for _, s := range shapesOfColumns {
		schema, seg := sealed(t, rng, s, 300)
		for i := range seg.Cols {
			def := &schema.Columns[i]
			d, err := seg.Cols[i].Data()
			must(t, err)
			var e encoder
			e.column(def.Type, d)
			for range 200 {
				block := append([]byte(nil), e.dst...)
				block[rng.Intn(len(block))] ^= 1 << rng.Intn(8)
				got, err := readColumn(packReader(block[:len(block)-rng.Intn(2)]), def.Type, seg.Rows, d.Bytes())
				if err == nil {
					var v vec.Vector
					must(t, got.Read(def, 0, seg.Rows, &v))
					v.Flatten(nil)
				}
			}
		}
		text := f.Encode(nil, written(t, f, uint64(rng.Int63()), schema, seg))
		for range 300 {
			bad := append([]byte(nil), text...)
			bad[rng.Intn(len(bad))] ^= 1 << rng.Intn(8)
			if got, _, err := f.Decode(bad[:len(bad)-rng.Intn(2)*rng.Intn(len(bad))], schema); err == nil {
				_ = readAll(got) // any error will do
			}
		}
	}
}
