package main

import (
	"encoding/json"

	"github.com/open-policy-agent/opa/v1/server/types"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/open-policy-agent/opa/v1/topdown/lineage"
)

// tracerOf is what records an evaluation's events, or nil when no explanation is asked for.
func tracerOf(req *request) *topdown.BufferTracer {
	if req.Explain == "" {
		return nil
	}
	return topdown.NewBufferTracer()
}

// explanation is the trace as OPA's REST API answers it for `?explain=`: events, or with `pretty` lines.
func explanation(req *request, tracer *topdown.BufferTracer) (json.RawMessage, error) {
	if tracer == nil {
		return nil, nil
	}
	events := *tracer
	switch req.Explain {
	case "notes":
		events = lineage.Notes(events)
	case "fails":
		events = lineage.Fails(events)
	case "full":
		events = lineage.Full(events)
	}
	trace, err := types.NewTraceV1(events, req.Pretty)
	return json.RawMessage(trace), err
}
