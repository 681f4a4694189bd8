;; Joins the filter with the modules that decide: calls them, and copies between its memory and theirs.
;; runtime/bundle/merge.ts names them; runtime/bundle/catch.ts says what `platform_*` are.
(module
  (import "filter" "memory" (memory $filter 1))
  (import "policy" "memory" (memory $policy 1))
  (import "arguments" "memory" (memory $arguments 1))
  (import "guard" "memory" (memory $guard 1))

  (import "policy" "start" (func $start))
  (import "policy" "begin" (func $begin (param i32) (result i32)))
  (import "policy" "loadData" (func $loadData (param i32 i32) (result i32)))
  (import "policy" "parse" (func $parse (param i32 i32) (result i32)))
  (import "policy" "jsonError" (func $jsonError (result i32)))
  (import "policy" "evaluate" (func $evaluate (param i32 i32) (result i32)))
  (import "policy" "answerText" (func $answerText (param i32) (result i32)))
  (import "policy" "entrypoints" (func $entrypoints (result i32)))
  (import "policy" "failureOf" (func $failureOf (result i32)))
  (import "policy" "platform_failure" (func $policyFailure (result i32)))
  (import "policy" "platform_save" (func $policySave))
  (import "policy" "platform_restore" (func $policyRestore))
  (import "policy" "platform_spare" (func $policySpare))

  (import "arguments" "reserve" (func $argumentsReserve (param i32) (result i32)))
  (import "arguments" "register" (func $register (param i32 i32) (result i32)))
  (import "arguments" "validate" (func $validate (param i32 i32 i32) (result i32)))
  (import "arguments" "output" (func $argumentsOutput (result i32)))
  (import "arguments" "outputLength" (func $argumentsOutputLength (result i32)))
  (import "arguments" "platform_failure" (func $argumentsFailure (result i32)))
  (import "arguments" "platform_save" (func $argumentsSave))
  (import "arguments" "platform_restore" (func $argumentsRestore))

  (import "guard" "reserve" (func $guardReserve (param i32) (result i32)))
  (import "guard" "scan" (func $scan (param i32 i32) (result i32)))
  (import "guard" "output" (func $guardOutput (result i32)))
  (import "guard" "outputLength" (func $guardOutputLength (result i32)))
  (import "guard" "platform_failure" (func $guardFailure (result i32)))
  (import "guard" "platform_save" (func $guardSave))
  (import "guard" "platform_restore" (func $guardRestore))

  (export "guard" (memory $guard))
  (export "policyEntrypoints" (func $entrypoints))
  (export "policyInputError" (func $jsonError))
  (export "policyStop" (func $failureOf))
  (export "policyFailure" (func $policyFailure))
  (export "policySave" (func $policySave))
  (export "policyRestore" (func $policyRestore))
  (export "policySpare" (func $policySpare))
  (export "argumentsOutput" (func $argumentsOutput))
  (export "argumentsOutputLength" (func $argumentsOutputLength))
  (export "argumentsFailure" (func $argumentsFailure))
  (export "argumentsSave" (func $argumentsSave))
  (export "argumentsRestore" (func $argumentsRestore))
  (export "guardOutput" (func $guardOutput))
  (export "guardOutputLength" (func $guardOutputLength))
  (export "guardFailure" (func $guardFailure))
  (export "guardSave" (func $guardSave))
  (export "guardRestore" (func $guardRestore))

  ;; Starts the policy and gives it its data: 1 when it has taken both.
  (func (export "policyLoad") (param $source i32) (param $length i32) (result i32)
    (local $place i32) (local $error i32)
    (call $start)
    (if (call $policyFailure) (then (return (i32.const 0))))
    (local.set $place (call $begin (local.get $length)))
    (if (i32.eqz (local.get $place)) (then (return (i32.const 0))))
    (memory.copy $policy $filter
      (local.get $place) (local.get $source) (local.get $length))
    (local.set $error (call $loadData (local.get $place) (local.get $length)))
    (i32.eqz (i32.or (local.get $error) (call $policyFailure))))

  ;; The place of the answer's text in the policy's memory; -1 for no answer, 0 where it failed.
  (func (export "policyAsk")
    (param $entrypoint i32) (param $source i32) (param $length i32) (result i32)
    (local $place i32) (local $answer i32)
    (local.set $place (call $begin (local.get $length)))
    (if (i32.eqz (local.get $place)) (then (return (i32.const 0))))
    (memory.copy $policy $filter
      (local.get $place) (local.get $source) (local.get $length))
    (local.set $place (call $parse (local.get $place) (local.get $length)))
    (if (i32.eqz (local.get $place)) (then (return (i32.const 0))))
    (local.set $answer (call $evaluate (local.get $entrypoint) (local.get $place)))
    (if (call $policyFailure) (then (return (i32.const 0))))
    (if (i32.lt_s (local.get $answer) (i32.const 0)) (then (return (i32.const -1))))
    (call $answerText (local.get $answer)))

  (func (export "policyCopyOut") (param $target i32) (param $source i32) (param $length i32)
    (memory.copy $filter $policy
      (local.get $target) (local.get $source) (local.get $length)))

  (func (export "policyLoadWord") (param $pointer i32) (result i32)
    (i32.load $policy (local.get $pointer)))

  ;; The schema's handle, or what `register` says instead; 0 where it failed.
  (func (export "argumentsRegister") (param $source i32) (param $length i32) (result i32)
    (local $place i32)
    (local.set $place (call $argumentsReserve (local.get $length)))
    (if (i32.eqz (local.get $place)) (then (return (i32.const 0))))
    (memory.copy $arguments $filter
      (local.get $place) (local.get $source) (local.get $length))
    (call $register (local.get $place) (local.get $length)))

  ;; An error number; whether it failed is another question.
  (func (export "argumentsValidate")
    (param $handle i32) (param $source i32) (param $length i32) (result i32)
    (local $place i32)
    (local.set $place (call $argumentsReserve (local.get $length)))
    (if (i32.eqz (local.get $place)) (then (return (i32.const 1))))
    (memory.copy $arguments $filter
      (local.get $place) (local.get $source) (local.get $length))
    (call $validate (local.get $handle) (local.get $place) (local.get $length)))

  (func (export "argumentsCopyOut") (param $target i32) (param $source i32) (param $length i32)
    (memory.copy $filter $arguments
      (local.get $target) (local.get $source) (local.get $length)))

  ;; An error number; whether it failed is another question.
  (func (export "guardScan") (param $source i32) (param $length i32) (result i32)
    (local $place i32)
    (local.set $place (call $guardReserve (local.get $length)))
    (if (i32.eqz (local.get $place)) (then (return (i32.const 1))))
    (memory.copy $guard $filter
      (local.get $place) (local.get $source) (local.get $length))
    (call $scan (local.get $place) (local.get $length)))

  (func (export "guardCopyOut") (param $target i32) (param $source i32) (param $length i32)
    (memory.copy $filter $guard
      (local.get $target) (local.get $source) (local.get $length))))
