package main

import "github.com/open-policy-agent/opa/v1/topdown"

// steps counts what the evaluator does and cancels it when the count is used up: inside WASI no
// clock can interrupt an evaluation.
type steps struct {
	left   int
	cancel topdown.Cancel
}

func newSteps(limit int) *steps { return &steps{left: limit, cancel: topdown.NewCancel()} }

func (s *steps) spent() bool { return s.left <= 0 }

// Enabled, TraceEvent and Config make steps a topdown.QueryTracer.
func (s *steps) Enabled() bool { return true }

func (s *steps) TraceEvent(topdown.Event) {
	if s.left--; s.left <= 0 {
		s.cancel.Cancel()
	}
}

func (s *steps) Config() topdown.TraceConfig { return topdown.TraceConfig{} }
