// Package deviceset parses values of gsql_device, which name the devices that queries may use.
package deviceset

import (
	"slices"
	"strconv"
	"strings"
)

// The kinds of sets.
const (
	Auto = "auto" // any number of GPUs, by price
	CPU  = "cpu"  // none
	GPU  = "gpu"
	Sim  = "sim" // simulated devices
)

// Takes describes the values of gsql_device.
const Takes = "auto, cpu, gpu, sim, all, gpu:all, sim:all, or numbers of devices such as gpu:1 or gpu:0,1"

// Set is a set of devices. A GPU or Sim set without All and Numbers is the first device of its kind.
type Set struct {
	Kind    string
	All     bool  // all devices of the kind
	Numbers []int // of devices of the kind, in order of preference
}

// Parse parses a value of gsql_device; ok is false if it is none.
func Parse(text string) (s Set, ok bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	if text == "all" {
		return Set{Kind: GPU, All: true}, true
	}
	kind, list, listed := strings.Cut(text, ":")
	s.Kind = strings.TrimSpace(kind)
	if !listed {
		return s, s.Kind == Auto || s.Kind == CPU || s.Several()
	}
	if !s.Several() {
		return s, false
	}
	if strings.TrimSpace(list) == "all" {
		s.All = true
		return s, true
	}
	for _, number := range strings.Split(list, ",") {
		n, err := strconv.ParseUint(strings.TrimSpace(number), 10, 16)
		if err != nil || slices.Contains(s.Numbers, int(n)) {
			return s, false
		}
		s.Numbers = append(s.Numbers, int(n))
	}
	return s, true
}

// Several reports whether the kind is one of devices, so that the set may have several of them.
func (s Set) Several() bool { return s.Kind == GPU || s.Kind == Sim }

// String formats the set such that Parse returns it.
func (s Set) String() string {
	switch {
	case s.All:
		return s.Kind + ":all"
	case s.Numbers == nil:
		return s.Kind
	}
	numbers := make([]string, len(s.Numbers))
	for i, n := range s.Numbers {
		numbers[i] = strconv.Itoa(n)
	}
	return s.Kind + ":" + strings.Join(numbers, ",")
}
