// Package eval computes bound expressions over whole batches. A Program is compiled once per
// plan; each worker evaluates it with its own Evaluator, which holds the scratch vectors.
package eval

import (
	"gsql/sql/cast"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Program is a compiled expression: steps over registers, each of which holds one vector. Equal
// subexpressions share a register. It is immutable and may be shared by any number of evaluators.
type Program struct {
	root   *block
	params bool // reads expr.Param
	// settled handles rows for which registers cannot hold the digits that quotients carry; nil if no
	// part of the expression carries digits.
	settled *settling
}

// reg numbers a register of a block.
type reg int32

// block is straight-line code for a set of rows. The root block computes all rows of a batch; a
// nested block computes only the rows that need a lazily evaluated argument.
type block struct {
	columns []load  // root: registers that are input columns
	imports []load  // nested: registers taken from the enclosing block
	consts  []konst // registers that are constants
	params  []param
	steps   []step
	regs    int
	kids    int // nested blocks
	result  reg
}

type load struct {
	from int // column of the batch or register of the enclosing block
	to   reg
}

type konst struct {
	value *vec.Vector
	to    reg
}

type param struct {
	slot int
	t    types.Type
	to   reg
}

// step computes register dst.
type step struct {
	bound    // opCall
	op       opcode
	dst      reg
	args     []operand
	t        types.Type
	constant bool // opCall: the arguments are constant, so one evaluation serves all batches
}

type opcode uint8

const (
	opCall opcode = iota
	opRetype
	opAnd
	opOr
	opCase
	opCoalesce
)

// operand is a register, or a nested block to run for the rows that need it.
type operand struct {
	reg   reg
	block *block
	kid   int // the block's index among its parent's nested blocks
}

// Compile compiles e for batches whose columns are input, in that order. Constant subexpressions
// are evaluated at compile time unless they fail.
func Compile(e expr.Expr, input []expr.ColID) (*Program, error) {
	var f folder
	e, err := f.fold(e)
	if err != nil {
		return nil, err
	}
	return compileFolded(e, input)
}

func compileFolded(e expr.Expr, input []expr.ColID) (*Program, error) {
	p := &Program{root: new(block)}
	c := compiler{input: input, values: numberings.Get().(*numbering)}
	defer c.values.release()
	c.root = scope{b: p.root, outermost: c.values}
	r, err := c.compile(&c.root, e)
	if err != nil {
		return nil, err
	}
	p.root.result, p.params = r, c.params
	if c.carries {
		p.settled = &settling{e: e, input: input, short: expr.FallsShort(e)}
	}
	return p, nil
}

// compiler translates one expression.
type compiler struct {
	input   []expr.ColID
	root    scope
	params  bool
	carries bool // some part of the expression carries digits
	values  *numbering
}

// scope is a block under construction and the registers that hold already computed values.
type scope struct {
	parent    *scope // nil for the root block
	b         *block
	outermost *numbering  // root block: maps value numbers to registers
	known     map[int]reg // other blocks: likewise
}

// register returns the block's register that holds the value with number id.
func (s *scope) register(id int) (reg, bool) {
	if s.outermost == nil {
		r, ok := s.known[id]
		return r, ok
	}
	if list := s.outermost.registers; id < len(list) && list[id] != noReg {
		return list[id], true
	}
	return 0, false
}

func (s *scope) setRegister(id int, r reg) {
	if s.outermost == nil {
		s.known[id] = r
		return
	}
	v := s.outermost
	for len(v.registers) <= id {
		v.registers = append(v.registers, noReg)
	}
	v.registers[id] = r
}

// noReg means that no register is assigned.
const noReg reg = -1

func (s *scope) newReg() reg {
	s.b.regs++
	return reg(s.b.regs - 1)
}

// lookup returns the register of a value, importing it from an enclosing block if necessary.
func (s *scope) lookup(id int) (reg, bool) {
	if r, ok := s.register(id); ok {
		return r, true
	}
	if s.parent == nil {
		return 0, false
	}
	outer, ok := s.parent.lookup(id)
	if !ok {
		return 0, false
	}
	r := s.newReg()
	s.b.imports = append(s.b.imports, load{from: int(outer), to: r})
	s.setRegister(id, r)
	return r, true
}

// compile returns the register of s that holds e, adding steps to compute it if necessary.
func (c *compiler) compile(s *scope, e expr.Expr) (reg, error) {
	id := c.values.number(e)
	if r, ok := s.lookup(id); ok {
		return r, nil
	}
	r, err := c.define(s, id, e)
	if err == nil {
		s.setRegister(id, r)
	}
	return r, err
}

func (c *compiler) define(s *scope, id int, e expr.Expr) (reg, error) {
	c.carries = c.carries || e.Type().Carries()
	switch e := e.(type) {
	case *expr.Col:
		return c.column(s, id, e)
	case *expr.Const:
		r := s.newReg()
		s.b.consts = append(s.b.consts, konst{value: e.Value.Vector(1), to: r})
		return r, nil
	case *expr.Param:
		c.params = true
		r := s.newReg()
		s.b.params = append(s.b.params, param{slot: e.Slot, t: e.T, to: r})
		return r, nil
	case *expr.Call:
		return c.call(s, e)
	}
	return 0, sqlerr.Internal("%T in a compiled expression: %s", e, e)
}

func (c *compiler) column(s *scope, id int, e *expr.Col) (reg, error) {
	if s != &c.root {
		if _, err := c.compile(&c.root, e); err != nil {
			return 0, err
		}
		r, _ := s.lookup(id)
		return r, nil
	}
	for i, in := range c.input {
		if in == e.ID {
			r := s.newReg()
			s.b.columns = append(s.b.columns, load{from: i, to: r})
			return r, nil
		}
	}
	return 0, sqlerr.Internal("column %s (#%d) is not among the inputs", e.Name, e.ID)
}

func (c *compiler) call(s *scope, e *expr.Call) (reg, error) {
	switch e.Fn {
	case expr.FuncAnd:
		return c.lazy(s, opAnd, e, func(i int, a expr.Expr) bool { return i == 0 || total(a) || c.quick(s, a) })
	case expr.FuncOr:
		return c.lazy(s, opOr, e, func(i int, a expr.Expr) bool { return i == 0 || total(a) || c.quick(s, a) })
	case expr.FuncCase:
		return c.lazy(s, opCase, e, func(i int, a expr.Expr) bool { return i == 0 || simple(a) || c.quick(s, a) })
	case expr.FuncCoalesce:
		return c.lazy(s, opCoalesce, e, func(i int, a expr.Expr) bool { return i == 0 || simple(a) })
	case expr.FuncCast:
		if q := expr.DirectQuotient(e.Args[0], e.T); q != nil {
			return c.compile(s, q)
		}
		if cast.SameValues(e.Args[0].Type(), e.T) {
			return c.retype(s, e)
		}
	case expr.FuncIn:
		if !constants(e.Args[1:]) {
			return c.compile(s, alternatives(e))
		}
	}
	b, err := bind(e)
	if err != nil {
		return 0, err
	}
	st := step{bound: b, args: make([]operand, 0, len(b.operands)), t: e.T, constant: !b.volatile && len(b.operands) > 0 || expr.Session(e)}
	for _, a := range b.operands {
		r, err := c.compile(s, a)
		if err != nil {
			return 0, err
		}
		_, ok := a.(*expr.Const)
		st.constant = st.constant && ok
		st.args = append(st.args, operand{reg: r})
	}
	return s.add(st), nil
}

func (s *scope) add(st step) reg {
	st.dst = s.newReg()
	s.b.steps = append(s.b.steps, st)
	return st.dst
}

func (c *compiler) retype(s *scope, e *expr.Call) (reg, error) {
	r, err := c.compile(s, e.Args[0])
	if err != nil {
		return 0, err
	}
	return s.add(step{op: opRetype, t: e.T, args: []operand{{reg: r}}}), nil
}

// lazy compiles a call whose arguments need not be computed for all rows. Arguments accepted by
// eager are computed for all rows in s, the others in nested blocks.
func (c *compiler) lazy(s *scope, op opcode, e *expr.Call, eager func(int, expr.Expr) bool) (reg, error) {
	st := step{op: op, t: e.T, args: make([]operand, 0, len(e.Args))}
	for i, a := range e.Args {
		o, err := c.operand(s, a, eager(i, a))
		if err != nil {
			return 0, err
		}
		st.args = append(st.args, o)
	}
	return s.add(st), nil
}

func (c *compiler) operand(s *scope, e expr.Expr, eager bool) (operand, error) {
	if eager {
		r, err := c.compile(s, e)
		return operand{reg: r}, err
	}
	if r, ok := s.lookup(c.values.number(e)); ok {
		return operand{reg: r}, nil
	}
	inner := &scope{parent: s, b: &block{}, known: map[int]reg{}}
	r, err := c.compile(inner, e)
	if err != nil {
		return operand{}, err
	}
	inner.b.result = r
	kid := s.b.kids
	s.b.kids++
	return operand{block: inner.b, kid: kid}, nil
}

// simple reports whether e is free to evaluate for all rows.
func simple(e expr.Expr) bool {
	_, call := e.(*expr.Call)
	return !call
}

// quick reports whether evaluating e for all rows is cheaper than selecting rows for it: it
// compares numbers that are already available in s.
func (c *compiler) quick(s *scope, e expr.Expr) bool {
	call, ok := e.(*expr.Call)
	if !ok || kernel.Relations[call.Fn] == 0 {
		return false
	}
	for i, a := range call.Args {
		if !isDirect(kernel.ArgKind(call, i)) {
			return false
		}
		if simple(a) {
			continue
		}
		if _, ok := s.lookup(c.values.number(a)); !ok {
			return false
		}
	}
	return true
}

func constants(list []expr.Expr) bool {
	for _, e := range list {
		if _, ok := e.(*expr.Const); !ok {
			return false
		}
	}
	return true
}

// alternatives rewrites IN over a non-constant list as an OR of "=" comparisons.
func alternatives(e *expr.Call) expr.Expr {
	or := &expr.Call{Fn: expr.FuncOr, T: e.T, Pos: e.Pos}
	for _, a := range e.Args[1:] {
		or.Args = append(or.Args, &expr.Call{Fn: expr.FuncEQ, Args: []expr.Expr{e.Args[0], a}, T: e.T, Pos: e.Pos})
	}
	return or
}
