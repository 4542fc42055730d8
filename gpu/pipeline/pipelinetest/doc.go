// Package pipelinetest interprets pipeline programs one row at a time. Back ends and lowering are
// compared with this simple implementation.
package pipelinetest
