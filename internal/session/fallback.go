package session

import "gsql/sql/sqlerr"

// FellBack is exec.Options.FellBack: it applies gsql_on_fallback and warns of each operator once.
func (s *Session) FellBack(operator string, cause error) error {
	e := sqlerr.From(cause)
	s.DB.Placements.FellBack(operator, e.Msg)
	if fallbackPolicy(s) == "error" {
		failed := *e
		failed.Hint = "SET gsql_on_fallback = 'warn' lets " + operator + " run on the CPU instead. " + e.Hint
		return &failed
	}
	if s.Warnings.fellBack(operator) {
		reportFallback(s, e.Code, operator+" ran on the CPU: "+e.Msg)
	}
	return nil
}

// PlannedBack is planner.Options.Fallback: a device was requested, but the plan does without it.
func (s *Session) PlannedBack(code sqlerr.Code, msg string) error {
	s.DB.Placements.FellBack("", msg)
	if fallbackPolicy(s) == "error" {
		return sqlerr.New(code, "%s", msg).WithHint("SET gsql_on_fallback = 'warn' lets the query run nevertheless.")
	}
	reportFallback(s, code, msg)
	return nil
}

func fallbackPolicy(s *Session) string {
	policy, _ := s.Var("gsql_on_fallback")
	return policy
}

func reportFallback(s *Session, code sqlerr.Code, msg string) {
	if fallbackPolicy(s) == "allow" {
		s.Note(code, msg)
		return
	}
	s.Warnings.Add(Warning{"Warning", uint16(code), msg})
}
