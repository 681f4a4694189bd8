module conformance

go 1.23

require github.com/tetratelabs/wazero v1.9.0
