//go:build !linux

package vfs

// sync writes data and metadata.
func (f *file) sync() error { return f.File.Sync() }
