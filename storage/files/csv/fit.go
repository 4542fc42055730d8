package csv

import (
	"errors"
	"fmt"

	"gsql/sql/json"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// fit replaces the texts of a JSON, ENUM or SET column by the values that it stores for them: JSON
// in normal form, members as declared. Texts that are none do not fit.
func (v *conversion) fit() {
	for i, s := range v.dst.Str {
		if v.null[i] {
			continue
		}
		var ok bool
		if v.members != nil {
			s, ok = v.members.Store(s)
		} else {
			var err error
			s, err = json.Normalise(s)
			ok = err == nil
		}
		if v.dst.Str[i] = s; !ok {
			v.dst.Str[i], v.null[i], v.any = "", true, true
			v.bad(i)
		}
	}
}

// misfit returns the error number and the reason why a text is no value of a type.
func misfit(t types.Type, text string) (rejectCode, string) {
	var syntax *json.SyntaxError
	switch {
	case t.HasMembers():
		return sqlerr.WarnDataTruncated, "Data truncated, the column is " + t.String()
	case t.ID == types.JSON:
		_, err := json.Parse(text)
		if errors.As(err, &syntax) {
			return sqlerr.InvalidJSONText, fmt.Sprintf("Invalid JSON text, \"%s\" at position %d", syntax.Msg, syntax.Pos)
		}
		return sqlerr.From(err).Code, sqlerr.From(err).Msg
	case t.IsInteger():
		return badValue, "Incorrect integer value"
	case t.IsFloat():
		return badValue, "Incorrect double value"
	}
	return badValue, "Incorrect " + t.String() + " value"
}
