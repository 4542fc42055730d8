//go:build cuda

package cuda

import (
	"fmt"
	"regexp"
	"sync"

	"gsql/gpu"
	"gsql/sql/sqlerr"
)

// plainShared is how much dynamic shared memory a kernel may use without a request, in addition to
// 16 KB of static shared memory: 48 KB together.
const plainShared = 32 << 10

// LoadModule compiles without blocking other work of the device. Different modules compile at the
// same time.
func (d *device) LoadModule(m gpu.Module) error {
	s, err := d.started()
	if err != nil {
		return err
	}
	s.mu.Lock()
	own := s.loading[m.Name]
	if own == nil {
		own = &sync.Mutex{}
		s.loading[m.Name] = own
	}
	s.mu.Unlock()
	own.Lock()
	defer own.Unlock()
	s.mu.Lock()
	_, known := s.modules[m.Name]
	s.mu.Unlock()
	if known {
		return nil
	}
	var loaded module
	err = s.within(func() (err error) { loaded, err = loadModule(m); return err })
	if err != nil {
		return d.fail("load", err)
	}
	return d.do("load", func(s *state) error {
		s.modules[m.Name] = loaded
		for _, entry := range entryNames.FindAllStringSubmatch(m.PTX, -1) {
			s.entries[entry[1]] = loaded.Module
		}
		return nil
	})
}

var entryNames = regexp.MustCompile(`(?m)^\s*(?:\.visible\s+)?\.entry\s+(\w+)`)

func (d *device) Launch(name string, how gpu.Launch, args ...uint64) error {
	s, err := d.started()
	if err != nil {
		return err
	}
	s.mu.Lock()
	st, err := s.stream(how.Stream)
	if err != nil || st.failed != nil {
		s.mu.Unlock()
		return err
	}
	k, err := s.kernel(name, how.Shared)
	s.mu.Unlock()
	if err == nil {
		err = launch(s.context, k.function, how, st.cu, args)
	}
	if err != nil {
		s.spoil(st, d.fail("launch of "+name, err))
	}
	return nil
}

// kernel looks a function up in the module that defines it and permits it shared bytes of dynamic
// shared memory. The caller holds the mutex.
func (s *state) kernel(name string, shared int) (*kernel, error) {
	k, ok := s.kernels[name]
	if ok && (shared <= plainShared || shared <= k.shared) {
		return k, nil
	}
	err := s.within(func() error {
		if !ok {
			m, known := s.entries[name]
			if !known {
				return sqlerr.Internal("no loaded module has kernel %s", name)
			}
			f, err := m.Function(name)
			if err != nil {
				return fmt.Errorf("kernel %s: %w", name, err)
			}
			k = &kernel{function: f}
			s.kernels[name] = k
		}
		if shared <= plainShared {
			return nil
		}
		if err := allowShared(k.function, shared); err != nil {
			return fmt.Errorf("%d bytes of shared memory: %w", shared, err)
		}
		k.shared = shared
		return nil
	})
	return k, err
}
