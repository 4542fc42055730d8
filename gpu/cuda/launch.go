//go:build cuda

package cuda

import (
	"fmt"
	"unsafe"

	"gorgonia.org/cu"

	"gsql/gpu"
	"gsql/sql/sqlerr"
)

// plainShared is how much dynamic shared memory a kernel may have without asking.
const plainShared = 48 << 10

func (d *device) LoadModule(m gpu.Module) error {
	return d.do("load", func(s *state) error {
		if _, ok := s.modules[m.Name]; ok {
			return nil
		}
		loaded, err := loadPTX(m)
		if err == nil {
			s.modules[m.Name] = loaded
		}
		return err
	})
}

func (d *device) Launch(name string, how gpu.Launch, args ...uint64) error {
	return d.post("launch of "+name, how.Stream, func(s *state, stream cu.Stream) error {
		k, err := s.kernel(name)
		if err != nil {
			return err
		}
		if how.Shared > plainShared && how.Shared > k.shared {
			if err := allowShared(k.function, how.Shared); err != nil {
				return fmt.Errorf("%d bytes of shared memory: %w", how.Shared, err)
			}
			k.shared = how.Shared
		}
		params := make([]unsafe.Pointer, len(args))
		for i := range args {
			params[i] = unsafe.Pointer(&args[i])
		}
		g, b := how.Grid, how.Block
		return k.function.Launch(extent(g.X), extent(g.Y), extent(g.Z), extent(b.X), extent(b.Y), extent(b.Z), how.Shared, stream, params)
	})
}

func extent(n uint32) int { return int(max(n, 1)) }

// kernel finds a function in the loaded modules.
func (s *state) kernel(name string) (*kernel, error) {
	if k, ok := s.kernels[name]; ok {
		return k, nil
	}
	for _, m := range s.modules {
		if f, err := m.Function(name); err == nil {
			k := &kernel{function: f}
			s.kernels[name] = k
			return k, nil
		}
	}
	return nil, sqlerr.Internal("no loaded module has kernel %s", name)
}
