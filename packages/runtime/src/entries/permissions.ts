// Rules and paths judged without a session, and the types of rules, approvals and grants.
export type { PermissionContext } from "../permissions/call.ts";
export type { PermissionExplanation } from "../permissions/evaluate.ts";
export { type ExplainedOnFiles, explainOnFiles } from "../permissions/paths/explain-on-files.ts";
export { type ResolvedPaths, resolvePaths } from "../permissions/paths/real-paths.ts";
export {
  PERMISSION_MODES,
  type PermissionAnswer,
  type PermissionDecision,
  type PermissionLayer,
  type PermissionResult,
  type RuleExamples,
  type RuleInForce,
  type RuleKind,
  type TrustLevel,
} from "../permissions/permission.ts";
export { accessRules, type AccessRulesOptions } from "../permissions/rules/access-rules.ts";
export { checkRules } from "../permissions/rules/check-rules.ts";
export { DEFAULT_ALLOW_PATTERNS } from "../permissions/rules/default-rules.ts";
export { permissionWarnings, type RuleWarning } from "../permissions/rules/rule-warnings.ts";
export { suggestPattern } from "../permissions/rules/suggest.ts";
export { visibleText } from "../permissions/visible-text.ts";
export type { GrantStore, PermissionHint, RequestHook } from "../session/approvals/approvals.ts";
export type { GrantScope, PermissionDecisionRecord } from "../session/log/events.ts";
export { isSecretName, protectedName, unusablePath } from "../permissions/paths/file-names.ts";
