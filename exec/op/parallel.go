package op

import (
	"errors"
	"sync"

	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// Drain runs body once per worker over the worker's own stream of in. It returns when all have
// ended, with the first error. With one worker, or if in is ordered, it runs in the calling
// goroutine. Workers are numbered from 0.
func Drain(ctx *Ctx, in Operator, body func(worker int, s Stream) error) error {
	n := ctx.Workers
	if in.Ordered() {
		n = 1
	}
	return Parallel(ctx, n, func(worker int) error {
		s, err := in.Stream()
		if err != nil {
			return err
		}
		return errors.Join(body(worker, s), s.Close())
	})
}

// Each drains in with all workers and calls f for every batch.
func Each(ctx *Ctx, in Operator, f func(worker int, b *vec.Batch) error) error {
	return Drain(ctx, in, func(worker int, s Stream) error { return each(ctx, s, worker, f) })
}

func each(ctx *Ctx, s Stream, worker int, f func(worker int, b *vec.Batch) error) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		b, err := s.Next()
		if err != nil || b == nil {
			return err
		}
		if err := f(worker, b); err != nil {
			return err
		}
	}
}

// EachUntil is Each for consumers that want to know when a worker gets no more batches: ended is
// called once for every worker below workers, with its error, in the worker's goroutine if it has
// one. The worker's error is then that of ended.
func EachUntil(ctx *Ctx, in Operator, workers int, f func(worker int, b *vec.Batch) error, ended func(worker int, err error) error) error {
	n := ctx.Workers
	if in.Ordered() {
		n = 1
	}
	for w := max(n, 1); w < workers; w++ {
		if err := ended(w, nil); err != nil {
			return err
		}
	}
	return Drain(ctx, in, func(worker int, s Stream) error {
		return ended(worker, Guard(func() error { return each(ctx, s, worker, f) }))
	})
}

// Parallel runs f for workers 0..n-1 and returns the first error. If n is 1, it runs in the
// calling goroutine. A panic in a worker becomes an internal error.
func Parallel(ctx *Ctx, n int, f func(worker int) error) error {
	if n <= 1 {
		return Guard(func() error { return f(0) })
	}
	var (
		wg    sync.WaitGroup
		once  sync.Once
		first error
	)
	for w := range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := Guard(func() error { return f(w) }); err != nil {
				once.Do(func() { first = err })
			}
		}()
	}
	wg.Wait()
	return first
}

// Guard is sqlerr.Guard, which turns panics of operators into errors.
func Guard(f func() error) error { return sqlerr.Guard(f) }
