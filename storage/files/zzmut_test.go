package files

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"

	"gsql/sql/sqlerr"
)

func TestZZMutate(t *testing.T) {
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 3))
	seeds := map[string][]byte{}
	for i, opts := range [][]parquet.WriterProperty{
		{parquet.WithCompression(compress.Codecs.Snappy), parquet.WithDictionaryDefault(false)},
		{parquet.WithCompression(compress.Codecs.Zstd)},
		{parquet.WithCompression(compress.Codecs.Gzip), parquet.WithDataPageVersion(parquet.DataPageV2)},
		{parquet.WithDictionaryDefault(false)},
		{parquet.WithDictionaryDefault(false), parquet.WithEncoding(parquet.Encodings.DeltaBinaryPacked)},
		{parquet.WithDataPageVersion(parquet.DataPageV2), parquet.WithCompression(compress.Codecs.Snappy), parquet.WithDictionaryDefault(false)},
	} {
		func() {
			defer func() { recover() }()
			data, err := os.ReadFile(writeParquet(t, variedTable(r, 300, false, i%2 == 0), 100, opts...))
			if err == nil {
				seeds[fmt.Sprintf("p%d.parquet", i)] = data
			}
		}()
	}
	seeds["x.arrow"] = small(t, "x.arrow")
	seeds["x.csv"] = small(t, "x.csv")
	seeds["y.csv"] = []byte("a,b,c\n1,\"x\ny\",'z'\n2;3|4\t5\n\"\\\"\",\\N,NULL\n2020-01-01,12:00:00,1e5\r\n,,\n")
	dir := t.TempDir()
	end := time.Now().Add(240 * time.Second)
	var names []string
	for n := range seeds {
		names = append(names, n)
	}
	var ms runtime.MemStats
	total, failed := 0, 0
	for time.Now().Before(end) {
		for _, n := range names {
			data := bytes.Clone(seeds[n])
			for range 1 + r.IntN(4) {
				i := r.IntN(len(data))
				if strings.HasSuffix(n, "parquet") && r.IntN(2) == 0 { // the footer
					i = len(data) - 1 - r.IntN(min(len(data), 3000))
				}
				switch r.IntN(4) {
				case 0:
					data[i] ^= byte(1 << r.IntN(8))
				case 1:
					data[i] = byte(r.IntN(256))
				case 2:
					data[i] = [...]byte{0, 255, 127, 128, '"', ',', '\n', '\\'}[r.IntN(8)]
				case 3:
					j := min(i+1+r.IntN(8), len(data))
					data = append(data[:i:i], data[j:]...)
					if len(data) == 0 {
						data = []byte{0}
					}
				}
			}
			path := filepath.Join(dir, n)
			os.WriteFile(path, data, 0o600)
			runtime.ReadMemStats(&ms)
			before := ms.TotalAlloc
			st := time.Now()
			done := make(chan int)
			go func() {
				select {
				case <-done:
				case <-time.After(20 * time.Second):
					os.WriteFile("/tmp/gsql/h7hang-"+n, data, 0o600)
					panic("hang")
				}
			}()
			err := readAll(path, Options{chunk: []int{0, 1, 7, 1000}[r.IntN(4)]})
			close(done)
			d := time.Since(st)
			runtime.ReadMemStats(&ms)
			total++
			if err != nil {
				failed++
			}
			var e *sqlerr.Error
			if err != nil && (!errors.As(err, &e) || e.Code == sqlerr.InternalError) || d > 2*time.Second || ms.TotalAlloc-before > 300<<20 {
				p := fmt.Sprintf("/tmp/gsql/h7bad-%d-%s", total, n)
				os.WriteFile(p, data, 0o600)
				fmt.Println(p, d, (ms.TotalAlloc-before)>>20, "MB", err)
			}
		}
	}
	fmt.Println("files", total, "refused", failed)
}
