// Package jointest has joins to test: cases with an oracle that evaluates a join by its definition,
// generators of inputs, and checks that run cases under the operator harness (package optest).
package jointest
