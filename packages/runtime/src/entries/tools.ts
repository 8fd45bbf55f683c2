// Types and checks for authors of tools.
export {
  type BuiltInToolErrorCode,
  type CallErrorCode,
  hasErrorCode,
  type ToolErrorCode,
} from "../messages/tool-error-code.ts";
export type { OpenAPIOperation, OpenAPIToolsOptions } from "../tools/openapi/openapi-tools.ts";
export type { OpenAPICredential } from "../tools/openapi/security.ts";
export { toolProblems } from "../tools/tool-registry.ts";
export type {
  FileChange,
  ModelAnswer,
  ModelQuestion,
  OwnerPathSegment,
  PatternKind,
  ToolAccess,
  ToolFacts,
  ToolOutputChunk,
  ToolPreview,
  Validation,
} from "../tools/tool.ts";
