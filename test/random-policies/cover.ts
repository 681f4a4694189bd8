// Which statements of OPA's plans (package v1/ir) the random policies have had compiled.

/** All that OPA v1.22 plans: `NopStmt` is in its package, but its planner never makes one. */
export const STATEMENTS = [
  ...['ArrayAppendStmt', 'AssignIntStmt', 'AssignVarOnceStmt', 'AssignVarStmt', 'BlockStmt'],
  ...['BreakStmt', 'CallDynamicStmt', 'CallStmt', 'DotStmt', 'EqualStmt', 'IsArrayStmt'],
  ...['IsDefinedStmt', 'IsObjectStmt', 'IsSetStmt', 'IsUndefinedStmt', 'LenStmt'],
  ...['MakeArrayStmt', 'MakeNullStmt', 'MakeNumberIntStmt', 'MakeNumberRefStmt'],
  ...['MakeObjectStmt', 'MakeSetStmt', 'NotEqualStmt', 'NotStmt', 'ObjectInsertOnceStmt'],
  ...['ObjectInsertStmt', 'ObjectMergeStmt', 'ResetLocalStmt', 'ResultSetAddStmt'],
  ...['ReturnLocalStmt', 'ScanStmt', 'SetAddStmt', 'WithStmt'],
] as const;

/** How often each statement is in a plan; adds to `cover`. */
export function coverOf(plan: unknown, cover: Record<string, number>): Record<string, number> {
  if (plan === null || typeof plan !== 'object') return cover;
  const { type, stmt } = plan as { type?: unknown; stmt?: unknown };
  if (typeof type === 'string' && stmt !== undefined) cover[type] = (cover[type] ?? 0) + 1;
  for (const part of Object.values(plan)) coverOf(part, cover);
  return cover;
}
