;; Joins the filter and the compiled policies: copies between their two memories.
(module
  (import "filter" "memory" (memory $filter 1 2048))
  (import "policy" "memory" (memory $policy 1))

  (func (export "copyIn") (param $target i32) (param $source i32) (param $length i32)
    (memory.copy $policy $filter
      (local.get $target) (local.get $source) (local.get $length)))

  (func (export "copyOut") (param $target i32) (param $source i32) (param $length i32)
    (memory.copy $filter $policy
      (local.get $target) (local.get $source) (local.get $length)))

  (func (export "loadWord") (param $pointer i32) (result i32)
    (i32.load $policy (local.get $pointer))))
