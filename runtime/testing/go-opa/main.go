// OPA's own server on a bundle, without options but those that the tests and the benchmark compare by.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/open-policy-agent/opa/v1/logging"
	"github.com/open-policy-agent/opa/v1/runtime"
)

// Usage: opa-server ADDRESS BUNDLE...
func main() {
	params := runtime.NewParams()
	params.Addrs = &[]string{os.Args[1]}
	params.Paths = os.Args[2:]
	params.BundleMode = true
	params.SkipBundleVerification = true
	params.EnableVersionCheck = false
	params.Logging = runtime.LoggingConfig{Level: "error"}
	params.Logger = logging.NewNoOpLogger()
	ctx := context.Background()
	started, err := runtime.NewRuntime(ctx, params)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := started.Serve(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
