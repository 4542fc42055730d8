package chainlog

import (
	"bytes"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gsql/storage/vfs"
)

// TestBatches reads logs with and without damage in small batches: records, end and error must be
// those of Scan.
func TestBatches(t *testing.T) {
	defer func(n int64) { batchBytes = n }(batchBytes)
	for seed := range int64(400) {
		rng := rand.New(rand.NewSource(seed))
		dir := t.TempDir()
		fsys, err := vfs.Dir(dir)
		if err != nil {
			t.Fatal(err)
		}
		writeRandom(t, fsys, rng)
		damageRandomly(t, filepath.Join(dir, "log"), rng)
		batchBytes = 64 << rng.Intn(9)
		want, wantEnd, wantErr := scannedText(func(fn func(Pos, []byte) error) (End, error) {
			return Scan(fsys, "log", testKind, fn)
		})
		got, end, err := scannedText(func(fn func(Pos, []byte) error) (End, error) {
			return ScanBatches(fsys, "log", testKind, summed, func(records []Record, sum int) error {
				if n := summed(records); n != sum {
					t.Errorf("seed %d: the batch was prepared with %d bytes and used with %d", seed, sum, n)
				}
				for _, r := range records {
					if err := fn(r.End, r.Contents); err != nil {
						return err
					}
				}
				return nil
			})
		})
		if got != want || end != wantEnd || fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Fatalf("seed %d: batches of %d bytes: end %+v, error %v; one by one: %+v, %v; same records: %v", seed, batchBytes, end, err, wantEnd, wantErr, got == want)
		}
	}
}

// summed is a prepare function that takes a while at times, so that batches are prepared out of order.
func summed(records []Record) (n int) {
	for _, r := range records {
		n += len(r.Contents)
	}
	if n%5 == 0 {
		time.Sleep(10 * time.Microsecond)
	}
	return n
}

// scannedText returns the records as a text. Some scans end with an error of the caller.
func scannedText(scan func(fn func(Pos, []byte) error) (End, error)) (text string, end End, err error) {
	var out bytes.Buffer
	end, err = scan(func(at Pos, record []byte) error {
		fmt.Fprintf(&out, "%d %x\n", at, record)
		return nil
	})
	return out.String(), end, err
}

// TestBatchesEnd ends a scan by an error of use. The records before it must have been used in order.
func TestBatchesEnd(t *testing.T) {
	defer func(n int64) { batchBytes = n }(batchBytes)
	batchBytes = 256
	fsys, err := vfs.Dir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	writeRandom(t, fsys, rand.New(rand.NewSource(1)))
	_, ends, _ := scanAll(t, fsys, "log")
	for stop := range ends {
		used, wrong := 0, fmt.Errorf("stop")
		_, err := ScanBatches(fsys, "log", testKind, summed, func(records []Record, _ int) error {
			for _, r := range records {
				if r.End != ends[used] {
					t.Fatalf("record %d ends at %d, want %d", used, r.End, ends[used])
				}
				if used == stop {
					return wrong
				}
				used++
			}
			return nil
		})
		if err != wrong || used != stop {
			t.Fatalf("after %d records of %d: %v", used, stop, err)
		}
	}
}

// writeRandom writes a log of records of random sizes.
func writeRandom(t *testing.T, fsys vfs.FS, rng *rand.Rand) {
	t.Helper()
	log, err := Create(fsys, "log", testKind, Full)
	if err != nil {
		t.Fatal(err)
	}
	for range rng.Intn(200) {
		record := make([]byte, rng.Intn(1+rng.Intn(1200)))
		rng.Read(record)
		p, err := log.Append(record)
		if err == nil && rng.Intn(20) == 0 {
			err = log.Commit(p)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Sync(); err != nil {
		t.Fatal(err)
	}
	if rng.Intn(2) == 0 {
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// damageRandomly leaves a file as it is, cuts it, flips a bit, or clears a sector.
func damageRandomly(t *testing.T, path string, rng *rand.Rand) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	written := len(bytes.TrimRight(data, "\x00"))
	switch at := rng.Intn(written); rng.Intn(4) {
	case 1:
		data = data[:at]
	case 2:
		data[at] ^= 1 << rng.Intn(8)
	case 3:
		clear(data[at&^511 : min(len(data), at|511)])
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
