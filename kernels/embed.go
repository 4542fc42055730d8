package kernels

import (
	"embed"
	"io/fs"
)

//go:embed ptx/*.ptx
var ptx embed.FS

//go:embed *.cu *.cuh
var sources embed.FS

// PTX is the compiled text of the kernel file that holds a family, such as "scan". A
// driver compiles it for its device when it is loaded.
func PTX(file string) (string, error) {
	text, err := fs.ReadFile(ptx, "ptx/"+file+".ptx")
	return string(text), err
}
