package gsql

import (
	"slices"

	"gsql/sql/sqlerr"
)

// Fallbacks gives the operators of the last statement that ran on the CPU because their
// device failed, such as "HashJoin on cuda:0". Why is among the Warnings.
func (s *Session) Fallbacks() []string {
	s.warnMu.Lock()
	defer s.warnMu.Unlock()
	return slices.Clone(s.fallbacks)
}

// fellBack is exec.Options.FellBack: it does what gsql_on_fallback says and tells of each
// operator once.
func (s *Session) fellBack(operator string, cause error) error {
	e := sqlerr.From(cause)
	if s.fallbackFails() {
		failed := *e
		failed.Hint = "SET gsql_on_fallback = 'warn' lets " + operator + " run on the CPU instead. " + e.Hint
		return &failed
	}
	s.warnMu.Lock()
	told := slices.Contains(s.fallbacks, operator)
	if !told {
		s.fallbacks = append(s.fallbacks, operator)
	}
	s.warnMu.Unlock()
	if !told {
		s.tellFallback(e.Code, operator+" ran on the CPU: "+e.Msg)
	}
	return nil
}

// plannedBack is planner.Options.Fallback: a device was asked for, and the plan does
// without.
func (s *Session) plannedBack(code sqlerr.Code, msg string) error {
	if s.fallbackFails() {
		return sqlerr.New(code, "%s", msg).WithHint("SET gsql_on_fallback = 'warn' lets the query run nevertheless.")
	}
	s.tellFallback(code, msg)
	return nil
}

func (s *Session) fallbackFails() bool {
	policy, _ := s.Var("gsql_on_fallback")
	return policy == "error"
}

func (s *Session) tellFallback(code sqlerr.Code, msg string) {
	level := "Warning"
	if policy, _ := s.Var("gsql_on_fallback"); policy == "allow" {
		level = "Note"
	}
	s.addWarning(Warning{level, uint16(code), msg})
}
