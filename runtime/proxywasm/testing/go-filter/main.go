// A filter on the Go SDK of the proxy-wasm project, whose ABI layer is not ours: it does what the test asks.
package main

import (
	"fmt"
	"strings"

	"github.com/proxy-wasm/proxy-wasm-go-sdk/proxywasm"
	"github.com/proxy-wasm/proxy-wasm-go-sdk/proxywasm/types"
)

func main() {}

func init() {
	proxywasm.SetPluginContext(func(uint32) types.PluginContext { return &plugin{} })
}

type plugin struct {
	types.DefaultPluginContext
	configuration string
	requests      proxywasm.MetricCounter
}

func (p *plugin) OnPluginStart(int) types.OnPluginStartStatus {
	data, err := proxywasm.GetPluginConfiguration()
	if err != nil || string(data) == "refuse" {
		proxywasm.LogCritical("refused")
		return types.OnPluginStartStatusFailed
	}
	p.configuration = string(data)
	p.requests = proxywasm.DefineCounterMetric("requests")
	proxywasm.LogInfof("configured with %s", data)
	return types.OnPluginStartStatusOK
}

func (p *plugin) NewHttpContext(id uint32) types.HttpContext {
	return &stream{id: id, plugin: p}
}

type stream struct {
	types.DefaultHttpContext
	id     uint32
	plugin *plugin
}

func (s *stream) OnHttpRequestHeaders(count int, last bool) types.Action {
	s.plugin.requests.Increment(1)
	path, err := proxywasm.GetHttpRequestHeader(":path")
	if err != nil {
		panic(err)
	}
	switch path {
	case "/deny":
		headers := [][2]string{{"Content-Type", "text/plain"}}
		if err := proxywasm.SendHttpResponse(418, headers, []byte("no"), -1); err != nil {
			panic(err)
		}
		return types.ActionPause
	case "/panic":
		panic("asked to")
	case "/pause":
		return types.ActionPause
	}
	all, err := proxywasm.GetHttpRequestHeaders()
	if err != nil {
		panic(err)
	}
	var names []string
	for _, pair := range all {
		names = append(names, pair[0])
	}
	peer, _ := proxywasm.GetProperty([]string{"connection", "uri_san_peer_certificate"})
	mutual, _ := proxywasm.GetProperty([]string{"connection", "mtls"})
	_, _, missing := proxywasm.GetSharedData("nothing")
	_, call := proxywasm.DispatchHttpCall("other", all, nil, nil, 1000, nil)
	check(proxywasm.SetSharedData("last", []byte(path), 0))
	last_, _, err := proxywasm.GetSharedData("last")
	check(err)
	check(proxywasm.RemoveHttpRequestHeader("x-remove"))
	check(proxywasm.ReplaceHttpRequestHeader("x-replace", "new"))
	check(proxywasm.AddHttpRequestHeader("x-add", "1"))
	check(proxywasm.AddHttpRequestHeader("x-add", "2"))
	check(proxywasm.SetProperty([]string{"seen"}, []byte(fmt.Sprintf(
		"%d %t %s %s %v %s %v %v %s %d", count, last, strings.Join(names, ","), peer, mutual, last_,
		missing, call, s.plugin.configuration, s.plugin.requests.Value()))))
	return types.ActionContinue
}

func (s *stream) OnHttpResponseHeaders(int, bool) types.Action {
	headers, err := proxywasm.GetHttpResponseHeaders()
	check(err)
	check(proxywasm.ReplaceHttpResponseHeaders(append(headers, [2]string{"x-filter", "go"})))
	return types.ActionContinue
}

func (s *stream) OnHttpStreamDone() { proxywasm.LogInfof("done") }

func check(err error) {
	if err != nil {
		panic(err)
	}
}
