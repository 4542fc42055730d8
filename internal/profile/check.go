package profile

import (
	"fmt"
	"math"
	"reflect"

	"gsql/planner/cost"
)

// check returns an error unless all rates are numbers above 0: a price of 0 or infinity would always
// win or always lose.
func (p *Profile) check() error {
	if err := checkRates(reflect.ValueOf(p.CPU)); err != nil {
		return fmt.Errorf("CPU: %w", err)
	}
	for name, a := range p.Devices {
		a.FreeBytes = 1 // set when the device is opened
		if err := checkRates(reflect.ValueOf(a)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func checkRates(v reflect.Value) error {
	for i := range v.NumField() {
		if v.Field(i).Kind() != reflect.Float64 {
			continue
		}
		if x := v.Field(i).Float(); !(x > 0) || math.IsInf(x, 0) {
			return fmt.Errorf("%s is %g, not a number above 0", v.Type().Field(i).Name, x)
		}
	}
	return nil
}

// Scale multiplies the named rates of p, a *cost.Profile or *cost.Accelerator, by a factor.
func Scale[P cost.Profile | cost.Accelerator](p *P, factor float64, rates ...string) error {
	v := reflect.ValueOf(p).Elem()
	for _, name := range rates {
		f := v.FieldByName(name)
		if !f.IsValid() || f.Kind() != reflect.Float64 {
			return fmt.Errorf("there is no rate %s", name)
		}
		f.SetFloat(f.Float() * factor)
	}
	return nil
}
