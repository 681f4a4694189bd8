package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// kit is what the vectors are judged with: the frozen modules and the frozen bundles.
type kit struct {
	folder                          string
	modules                         map[string][]byte
	record, scope, arguments, guard *module
	policy                          *policy
	policyRevision, dataRevision    string
	keys                            map[string][]byte
	ctx                             context.Context
	runtime                         wazero.Runtime
}

func openKit(folder string) (*kit, error) {
	ctx := context.Background()
	k := &kit{folder: folder, ctx: ctx, runtime: wazero.NewRuntime(ctx), modules: map[string][]byte{}}
	for name, place := range map[string]**module{
		"record": &k.record, "scope": &k.scope, "arguments": &k.arguments, "guard": &k.guard,
	} {
		packed, err := os.ReadFile(filepath.Join(folder, "modules", name+".wasm.gz"))
		if err != nil {
			return nil, err
		}
		reader, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			return nil, err
		}
		if k.modules[name], err = io.ReadAll(reader); err != nil {
			return nil, err
		}
		if *place, err = k.compile(k.modules[name]); err != nil {
			return nil, err
		}
	}
	if err := k.readKeys(); err != nil {
		return nil, err
	}
	policyFiles, policyRevision, err := k.verify("bundle/policy.tar.gz", "policy")
	if err != nil {
		return nil, err
	}
	dataFiles, dataRevision, err := k.verify("bundle/data.tar.gz", "data")
	if err != nil {
		return nil, err
	}
	k.policyRevision, k.dataRevision = policyRevision, dataRevision
	k.policy, err = k.newPolicy(policyFiles["decisions.wasm"], dataFiles["data.json"])
	return k, err
}

// failure is a stable code: what a host answers when it cannot judge.
type failure string

func (f failure) Error() string { return string(f) }

// numbers are the codes of what a module returns instead of 0.
var numbers = map[uint32]failure{
	1: "input_too_large", 2: "input_not_utf8", 3: "input_lone_surrogate", 4: "input_not_json",
	5: "input_duplicate_key", 6: "input_number_not_portable", 7: "input_too_deep",
	8: "input_key_too_long", 9: "input_invalid",
	32: "spiffe_id_empty", 33: "spiffe_id_too_long", 34: "spiffe_scheme_wrong",
	35: "spiffe_trust_domain_missing", 36: "spiffe_trust_domain_too_long",
	37: "spiffe_trust_domain_character", 38: "spiffe_user_info", 39: "spiffe_port",
	40: "spiffe_query", 41: "spiffe_fragment", 42: "spiffe_percent_encoding",
	43: "spiffe_wildcard", 44: "spiffe_path_character", 45: "spiffe_path_empty_segment",
	46: "spiffe_path_dot_segment", 47: "spiffe_path_trailing_slash",
}

// module is compiled once; each instance of it has memory of its own.
type module struct {
	kit      *kit
	compiled wazero.CompiledModule
	present  *instance
}

type instance struct {
	kit *kit
	api.Module
}

func (k *kit) compile(code []byte) (*module, error) {
	compiled, err := k.runtime.CompileModule(k.ctx, code)
	return &module{kit: k, compiled: compiled}, err
}

func (m *module) instantiate() (*instance, error) {
	made, err := m.kit.runtime.InstantiateModule(m.kit.ctx, m.compiled,
		wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		return nil, err
	}
	return &instance{m.kit, made}, nil
}

// call runs an export; what it throws is a trap, whose code tells the limit that was reached.
func (i *instance) call(name string, arguments ...uint64) (uint32, error) {
	results, err := i.ExportedFunction(name).Call(i.kit.ctx, arguments...)
	if err != nil {
		return 0, i.trap()
	}
	if len(results) == 0 {
		return 0, nil
	}
	return uint32(results[0]), nil
}

func (i *instance) trap() failure {
	if int32(i.ExportedGlobal("platform_steps").Get()) < 0 {
		return "steps_exhausted"
	}
	switch i.ExportedGlobal("platform_limit").Get() {
	case 1:
		return "memory_exhausted"
	case 2:
		return "depth_exhausted"
	}
	return "module_trapped"
}

// put writes bytes where the module makes room for them.
func (i *instance) put(reserve string, data []byte) (uint64, error) {
	pointer, err := i.call(reserve, uint64(len(data)))
	if err != nil {
		return 0, err
	}
	if pointer == 0 {
		return 0, failure("input_too_large")
	}
	if !i.Memory().Write(pointer, data) {
		return 0, failure("module_output_invalid")
	}
	return uint64(pointer), nil
}

// output copies the last output.
func (i *instance) output() ([]byte, error) {
	pointer, err := i.call("output")
	if err != nil {
		return nil, err
	}
	length, err := i.call("outputLength")
	if err != nil {
		return nil, err
	}
	view, found := i.Memory().Read(pointer, length)
	if !found {
		return nil, failure("module_output_invalid")
	}
	return bytes.Clone(view), nil
}

// run gives bytes to one operation and returns its output. A trap costs the instance.
func (m *module) run(operation string, data []byte) ([]byte, error) {
	var err error
	if m.present == nil {
		if m.present, err = m.instantiate(); err != nil {
			return nil, err
		}
	}
	output, err := m.present.operate(operation, data)
	if _, known := err.(failure); err != nil && known && isTrap(err) {
		m.present = nil
	}
	return output, err
}

func isTrap(err error) bool {
	switch err.(failure) {
	case "steps_exhausted", "memory_exhausted", "depth_exhausted", "module_trapped":
		return true
	}
	return false
}

func (i *instance) operate(operation string, data []byte) ([]byte, error) {
	pointer, err := i.put("reserve", data)
	if err != nil {
		return nil, err
	}
	number, err := i.call(operation, pointer, uint64(len(data)))
	if err != nil {
		return nil, err
	}
	if number != 0 {
		if code, known := numbers[number]; known {
			return nil, code
		}
		return nil, failure("module_output_invalid")
	}
	return i.output()
}

// validate compiles a schema and judges arguments, in an instance of its own.
func (k *kit) validate(schema, arguments []byte) ([]byte, error) {
	if len(arguments) > 256<<10 {
		return nil, failure("input_too_large")
	}
	if len(schema) > 64<<10 {
		return nil, failure("schema_too_large")
	}
	i, err := k.arguments.instantiate()
	if err != nil {
		return nil, err
	}
	defer i.Close(k.ctx)
	pointer, err := i.put("reserve", schema)
	if err != nil {
		return nil, err
	}
	handle, err := i.call("register", pointer, uint64(len(schema)))
	if err != nil {
		return nil, err
	}
	if int32(handle) < 1 {
		return nil, refusal(i)
	}
	if pointer, err = i.put("reserve", arguments); err != nil {
		return nil, err
	}
	number, err := i.call("validate", uint64(handle), pointer, uint64(len(arguments)))
	if err != nil {
		return nil, err
	}
	if number != 0 {
		return nil, numbers[number]
	}
	return i.output()
}

// refusal is why a schema was not compiled.
func refusal(i *instance) error {
	output, err := i.output()
	if err != nil {
		return err
	}
	var said struct{ Code string }
	if err := json.Unmarshal(output, &said); err != nil {
		return fmt.Errorf("the refusal of a schema: %w", err)
	}
	return failure(said.Code)
}
