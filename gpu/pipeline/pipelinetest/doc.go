// Package pipelinetest computes what pipeline programs mean, a row at a time, so that back ends and
// lowering are compared with something that is simple.
package pipelinetest
