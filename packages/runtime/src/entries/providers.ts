// Parts for authors of providers, and providers composed of others.
export type { ResponseFormat, ResponseSchema } from "../agent/structured-output.ts";
export { expandModel } from "../context/model-names.ts";
export {
  costOf,
  findModel,
  type ModelCapabilities,
  type ModelDefinition,
  type ModelPrices,
  OPENAI_MODELS,
} from "../context/models.ts";
export type { ContextBreakdown, ContextWindowState } from "../context/tracker.ts";
export type {
  Citation,
  Content,
  FilePart,
  ImagePart,
  JsonObject,
  JsonValue,
  ProviderPart,
  StopReason,
  SystemMessage,
  TextPart,
  ThinkingPart,
  ToolMessage,
  UserMessage,
} from "../messages/message.ts";
export { type Repair, RequestView } from "../messages/project.ts";
export type { ProviderErrorContext } from "../providers/error-utils.ts";
export {
  type Fallback,
  type FallbackMember,
  fallbackProvider,
  type FallbackRules,
} from "../providers/fallback/fallback-provider.ts";
export type { FallbackReason } from "../providers/fallback/reasons.ts";
export type { PriceOf, ProviderBudget } from "../providers/fallback/spending.ts";
export {
  generate,
  parseToolCall,
  type ProviderNativeRawPayload,
  type AnswerFormat,
  type ReasoningEffort,
  type ServerToolUse,
  type ToolChoice,
  type ToolSchema,
} from "../providers/provider.ts";
export {
  type Route,
  type RoutedCall,
  routingProvider,
  type RoutingRules,
} from "../providers/routing/routing-provider.ts";
export type { Retry } from "../providers/retry.ts";
export { streamEvents } from "../providers/stream.ts";
export type { KeyCheck } from "../providers/models.ts";
