// Peers of the mesh filter that Envoy asks over gRPC: OPA with its Envoy plugin as its own program
// starts it, and with `yes SOCKET` a server that allows whatever it is asked.
package main

import (
	"context"
	"net"
	"os"

	auth "github.com/envoyproxy/go-control-plane/envoy/service/auth/v3"
	"github.com/open-policy-agent/opa-envoy-plugin/plugin"
	"github.com/open-policy-agent/opa/cmd"
	"github.com/open-policy-agent/opa/v1/runtime"
	"google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc"
)

type yes struct {
	auth.UnimplementedAuthorizationServer
}

func (yes) Check(context.Context, *auth.CheckRequest) (*auth.CheckResponse, error) {
	ok := &auth.CheckResponse_OkResponse{OkResponse: &auth.OkHttpResponse{}}
	return &auth.CheckResponse{Status: &status.Status{}, HttpResponse: ok}, nil
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == "yes" {
		listener, err := net.Listen("unix", os.Args[2])
		if err != nil {
			panic(err)
		}
		server := grpc.NewServer()
		auth.RegisterAuthorizationServer(server, yes{})
		panic(server.Serve(listener))
	}
	runtime.RegisterPlugin(plugin.PluginName, plugin.Factory{})
	if err := cmd.RootCommand.Execute(); err != nil {
		os.Exit(1)
	}
}
