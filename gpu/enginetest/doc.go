// Package enginetest provides an engine for tests of device code: on the simulated device with
// the build tag "sim", on the first GPU with the tag "cuda". Tests that use it carry the
// constraint "sim || cuda"; without either tag there is no device to test on.
package enginetest
