// Package function lists the families of functions. Importing it registers the signatures and kernels
// of all of them under their ids. The families know neither each other nor the evaluator. The signatures
// of operators are in package expr, which builds calls of operators itself.
package function

import (
	"gsql/sql/cast"
	"gsql/sql/function/date"
	"gsql/sql/function/json"
	"gsql/sql/function/math"
	"gsql/sql/function/misc"
	"gsql/sql/function/operator"
	"gsql/sql/function/regexp"
	"gsql/sql/function/text"
)

func init() {
	for _, register := range []func(){
		cast.Register, date.Register, json.Register, math.Register, misc.Register, operator.Register, regexp.Register, text.Register,
	} {
		register()
	}
}
