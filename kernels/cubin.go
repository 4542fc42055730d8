//go:build cuda

package kernels

import (
	"archive/zip"
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"sync"
)

//go:embed cubin/*.zip
var cubins embed.FS

// architectures are the compute capabilities for which there are cubins, highest first.
var architectures = []int{90, 89, 86, 80}

var archives struct {
	mu   sync.Mutex
	open map[int]*zip.Reader
}

// Cubin returns a kernel file as machine code for devices of a compute capability (10*major +
// minor), or nil if there is none: such devices compile the PTX. Code for a capability runs on
// devices of the same major number and of an equal or higher minor number.
func Cubin(file string, capability int) []byte {
	for _, arch := range architectures {
		if arch <= capability && arch/10 == capability/10 {
			code, err := readCubin(file, arch)
			if err != nil {
				return nil // the PTX serves
			}
			return code
		}
	}
	return nil
}

func readCubin(file string, arch int) ([]byte, error) {
	archives.mu.Lock()
	defer archives.mu.Unlock()
	z := archives.open[arch]
	if z == nil {
		packed, err := cubins.ReadFile(fmt.Sprintf("cubin/sm_%d.zip", arch))
		if err != nil {
			return nil, err
		}
		if z, err = zip.NewReader(bytes.NewReader(packed), int64(len(packed))); err != nil {
			return nil, err
		}
		if archives.open == nil {
			archives.open = map[int]*zip.Reader{}
		}
		archives.open[arch] = z
	}
	return fs.ReadFile(z, file+".cubin")
}
