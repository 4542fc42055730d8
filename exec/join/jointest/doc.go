// Package jointest helps to test joins. It has cases with an oracle that evaluates a join by its
// definition, generators of inputs, and checks that run cases in the operator harness (package
// optest).
package jointest
