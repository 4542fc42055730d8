// Package cuda drives NVIDIA GPUs as gpu devices, through gorgonia.org/cu. With the build tag
// "cuda", importing it registers them; without the tag it is empty and the program needs no cgo.
// The folder driver holds the header and the trampolines for the build, so that building requires
// no CUDA toolkit and starting requires no driver.
package cuda
