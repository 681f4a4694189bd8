// Every span, attribute and metric name of the platform; no literal stands at a call site.

/** Span names as the specification gives them. */
export const SPAN = {
  agentInvoke: 'platform.agent.invoke',
  gatewayCall: 'platform.gateway.call',
  guardScan: 'platform.guard.scan',
  llmChat: 'platform.llm.chat',
  vaultGet: 'platform.vault.get',
} as const;

/** Span attribute names; values that could hold a secret or a prompt have no name here. */
export const ATTRIBUTE = {
  agentName: 'agent_name',
  tenant: 'tenant',
  framework: 'framework',
  status: 'status',
  toolName: 'tool_name',
  path: 'path',
  spiffeId: 'spiffe_id',
  requestId: 'platform.request_id',
  decisionIds: 'platform.decision_ids',
  decisionId: 'platform.decision_id',
  rule: 'platform.rule',
  scanType: 'scan_type',
  isValid: 'is_valid',
  direction: 'direction',
  scanner: 'scanner',
  promptBlocked: 'platform.guard.prompt_blocked',
  outputBlocked: 'platform.guard.output_blocked',
  blockingScanners: 'platform.guard.scanners',
  outputBlockingScanners: 'platform.guard.output_scanners',
  genAiSystem: 'gen_ai.system',
  genAiProvider: 'gen_ai.provider.name',
  genAiOperation: 'gen_ai.operation.name',
  genAiRequestModel: 'gen_ai.request.model',
  genAiResponseModel: 'gen_ai.response.model',
  genAiResponseId: 'gen_ai.response.id',
  genAiFinishReasons: 'gen_ai.response.finish_reasons',
  genAiInputTokens: 'gen_ai.usage.input_tokens',
  genAiOutputTokens: 'gen_ai.usage.output_tokens',
  genAiTotalTokens: 'gen_ai.usage.total_tokens',
  // The two that may hold a prompt: set only where a developer asked for it with `captureContent`.
  genAiInput: 'gen_ai.input.messages',
  genAiOutput: 'gen_ai.output.messages',
  llmCost: 'platform.llm.cost_usd',
  durationMs: 'duration_ms',
  errorType: 'error.type',
  errorTypeLabel: 'error_type',
} as const;

/** Metric names; counters and histograms are created once in `metrics.ts`. */
export const METRIC = {
  agentInvocations: 'platform.agent.invocations',
  agentActive: 'platform.agent.active',
  agentDuration: 'platform.agent.duration',
  toolInvocations: 'platform.tool.invocations',
  toolDuration: 'platform.tool.duration',
  vaultGets: 'platform.vault.gets',
  vaultGetDuration: 'platform.vault.get.duration',
  llmCalls: 'platform.llm.calls',
  llmErrors: 'platform.llm.call_errors',
  llmDuration: 'platform.llm.call.duration',
  llmInputTokens: 'platform.llm.input_tokens',
  llmOutputTokens: 'platform.llm.output_tokens',
  guardScans: 'platform_guard_scans_total',
  guardBlocks: 'platform_guard_blocks_total',
  guardScanDuration: 'platform_guard_scan_duration_seconds',
  proxyRequests: 'platform_proxy_requests_total',
  proxyRefused: 'platform_proxy_refused_total',
  proxyBytes: 'platform_proxy_bytes_total',
  proxyDuration: 'platform_proxy_duration_seconds',
  proxyConnections: 'platform_proxy_connections',
  proxySvidExpiry: 'platform_proxy_svid_expiry_seconds',
  proxyIdentityConnected: 'platform_proxy_identity_connected',
  proxyDenyListStale: 'platform_proxy_deny_list_stale_seconds',
  policyEvaluations: 'platform_policy_evaluations_total',
  policyDuration: 'platform_policy_evaluation_duration_seconds',
  policyFailures: 'platform_policy_failures_total',
  policyBundleActivated: 'platform_policy_bundles_activated',
  policyBundleProblems: 'platform_policy_bundle_problems',
  policyLogEvents: 'platform_policy_decision_log_events_total',
  policyLogDropped: 'platform_policy_decision_log_dropped_total',
  policyLogBuffered: 'platform_policy_decision_log_buffered',
} as const;

/** The statuses of blocked spans, word for word as the specification has them. */
export const BLOCKED_BY_GUARD = 'Blocked by LLM Guard';
export const OUTPUT_BLOCKED_BY_GUARD = 'Output blocked by LLM Guard';
