// Package cuda drives NVIDIA GPUs as gpu devices, through gorgonia.org/cu. With the build
// tag "cuda" importing it registers them; without the tag it is empty and the program
// needs no cgo. The folder driver holds the header and the trampolines it is built
// against, so that building needs no CUDA toolkit and starting needs no driver.
package cuda
