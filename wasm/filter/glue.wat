;; Joins the filter and OPA's policy: the policy's memory, what the policy imports, and copies between both memories.
(module
  (import "filter" "memory" (memory $filter 1 2048))
  (memory $policy (export "memory") 8 1024)

  ;; The capabilities of the platform's policies leave no built-in to the host; an abort is a trap, which denies.
  (func (export "opa_abort") (param i32) (unreachable))
  (func (export "opa_println") (param i32) (unreachable))
  (func (export "opa_builtin0") (param i32 i32) (result i32) (unreachable))
  (func (export "opa_builtin1") (param i32 i32 i32) (result i32) (unreachable))
  (func (export "opa_builtin2") (param i32 i32 i32 i32) (result i32) (unreachable))
  (func (export "opa_builtin3") (param i32 i32 i32 i32 i32) (result i32) (unreachable))
  (func (export "opa_builtin4") (param i32 i32 i32 i32 i32 i32) (result i32) (unreachable))

  (func (export "copyIn") (param $target i32) (param $source i32) (param $length i32)
    (memory.copy $policy $filter
      (local.get $target) (local.get $source) (local.get $length)))

  (func (export "copyOut") (param $target i32) (param $source i32) (param $length i32)
    (memory.copy $filter $policy
      (local.get $target) (local.get $source) (local.get $length)))

  (func (export "loadByte") (param $pointer i32) (result i32)
    (i32.load8_u $policy (local.get $pointer)))

  (func (export "reach") (param $end i32)
    (local $pages i32)
    (local.set $pages
      (i32.sub
        (i32.shr_u (i32.add (local.get $end) (i32.const 65535)) (i32.const 16))
        (memory.size $policy)))
    (if (i32.gt_s (local.get $pages) (i32.const 0))
      (then
        (if (i32.eq (memory.grow $policy (local.get $pages)) (i32.const -1))
          (then (unreachable)))))))
