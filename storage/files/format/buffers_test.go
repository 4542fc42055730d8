package format

import "testing"

// TestClassesOfMemory checks that a class has a single size, slightly above the requested one.
func TestClassesOfMemory(t *testing.T) {
	sizes := map[int]int{}
	for n := 1; n < 1<<28; n += 1 + n/50 {
		class, size := classOf(n)
		if size < n || n > 1024 && size > n+n/8+1 {
			t.Errorf("%d bytes get %d", n, size)
		}
		if again, same := classOf(size); again != class || same != size {
			t.Errorf("%d bytes are of class %d, the %d bytes that they get of %d", n, class, size, again)
		}
		if old, ok := sizes[class]; ok && old != size {
			t.Errorf("class %d has sizes %d and %d", class, old, size)
		}
		sizes[class] = size
	}
}
