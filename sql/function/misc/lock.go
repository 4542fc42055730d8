package misc

import (
	"context"
	"math"
	"time"
	"unicode/utf8"

	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Locks is implemented by sessions that can hold the locks of GET_LOCK. Names ignore case.
type Locks interface {
	// GetLock waits for a lock, forever if wait is negative, and reports whether the session has it.
	// A session may take its own locks several times.
	GetLock(ctx context.Context, name string, wait time.Duration) (bool, error)
	// ReleaseLock releases a lock once. own is false if this session does not hold the lock, held
	// is false if no session does.
	ReleaseLock(name string) (own, held bool)
	// LockHolder returns the session that holds a lock.
	LockHolder(name string) (session uint64, held bool)
	// ReleaseLocks releases all locks and returns how often they were taken.
	ReleaseLocks() int64
}

func registerLock() {
	bigint, unsigned, text := types.T(types.Int64), types.T(types.Uint64), types.T(types.String)
	named := func(name expr.FuncID, result types.Type, f func(l Locks, name string) (int64, bool)) {
		expr.Register(expr.Sig{Name: name, Min: 1, Max: 1, Resolve: expr.Fixed(result, text), NullAware: true, Volatile: true})
		kernel.Register(kernel.Def{Name: name, Bind: kernel.Fn(lockKernel(func(_ *kernel.Runtime, l Locks, name string, _ []*vec.Vector, _ int) (int64, bool, error) {
			n, ok := f(l, name)
			return n, ok, nil
		}))})
	}
	named("release_lock", bigint, func(l Locks, name string) (int64, bool) {
		own, held := l.ReleaseLock(name)
		return kernel.Bit(own), held
	})
	named("is_free_lock", bigint, func(l Locks, name string) (int64, bool) {
		_, held := l.LockHolder(name)
		return kernel.Bit(!held), true
	})
	named("is_used_lock", unsigned, func(l Locks, name string) (int64, bool) {
		session, held := l.LockHolder(name)
		return int64(session), held
	})
	expr.Register(
		expr.Sig{Name: "get_lock", Min: 2, Max: 2, Resolve: expr.Fixed(bigint, text, types.T(types.Float64)), NullAware: true, Volatile: true},
		expr.Sig{Name: "release_all_locks", Resolve: expr.Fixed(unsigned), Volatile: true},
	)
	kernel.Register(
		kernel.Def{Name: "get_lock", Bind: kernel.Fn(lockKernel(getLock))},
		kernel.Def{Name: "release_all_locks", Bind: kernel.Fn(releaseAllLocks)},
	)
}

// longestLockName is the maximum length of a lock's name in characters.
const longestLockName = 64

// lockKernel returns the kernel for an operation on the lock that the first argument names. Without a
// session the result is NULL.
func lockKernel(f func(rt *kernel.Runtime, l Locks, name string, args []*vec.Vector, i int) (int64, bool, error)) kernel.Kernel {
	return func(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
		locks, ok := rt.Env.(Locks)
		if !ok {
			kernel.SetAllNull(out, nil)
			return nil
		}
		for i := range out.I64 {
			name := args[0].Str[i&kernel.Mask(args[0])]
			if kernel.NullAt(args[0], i) || name == "" || utf8.RuneCountInString(name) > longestLockName {
				return rt.Fail(sqlerr.UserLockWrongName, "Incorrect user-level lock name '%s'.", name)
			}
			n, known, err := f(rt, locks, name, args, i)
			if err != nil {
				return err
			}
			if out.I64[i] = n; !known {
				out.SetNull(i)
			}
		}
		return nil
	}
}

func getLock(rt *kernel.Runtime, l Locks, name string, args []*vec.Vector, i int) (int64, bool, error) {
	ctx := rt.Running()
	seconds := args[1].F64[i&kernel.Mask(args[1])]
	if kernel.NullAt(args[1], i) {
		seconds = 0
	}
	got, err := l.GetLock(ctx, name, time.Duration(math.Min(seconds, math.MaxInt32)*float64(time.Second)))
	if err != nil {
		return 0, false, sqlerr.From(err).At(rt.Call.Pos)
	}
	return kernel.Bit(got), true, nil
}

func releaseAllLocks(rt *kernel.Runtime, _ []*vec.Vector, out *vec.Vector) error {
	locks, ok := rt.Env.(Locks)
	if !ok {
		kernel.SetAllNull(out, nil)
		return nil
	}
	for i := range out.I64 {
		out.I64[i] = locks.ReleaseLocks()
	}
	return nil
}
