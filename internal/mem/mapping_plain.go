//go:build unix && !linux

package mem

func wantHugePages([]byte) {}
