import { errorFacts } from "../../errors.ts";

/**
 * Reasons for asking the next provider: the service is overloaded, rate limiting or failing (`overload`), it can't be
 * reached or its answer can't be used (`network`), the conversation does not fit (`context_length`), its budget is
 * spent (`budget`), or the key, the credit or the model is missing (`unavailable`).
 */
export type FallbackReason = "overload" | "network" | "context_length" | "budget" | "unavailable";

const REASONS: Readonly<Record<string, FallbackReason>> = {
  OVERLOADED: "overload",
  SERVER_ERROR: "overload",
  RATE_LIMIT_ERROR: "overload",
  CIRCUIT_BREAKER_OPEN: "overload",
  NETWORK_ERROR: "network",
  EMPTY_RESPONSE: "network",
  INVALID_RESPONSE: "network",
  REDIRECTED: "network",
  PROTOCOL_ERROR: "network",
  CONTEXT_LENGTH: "context_length",
  REQUEST_TOO_LARGE: "context_length",
  BUDGET_EXCEEDED: "budget",
  QUOTA_EXCEEDED: "unavailable",
  AUTHENTICATION_ERROR: "unavailable",
  MODEL_NOT_AVAILABLE: "unavailable",
};

/** The reason why another provider may succeed; `undefined` when the request itself is at fault. */
export function fallbackReason(error: unknown): FallbackReason | undefined {
  const { code } = errorFacts(error);
  return Object.hasOwn(REASONS, code) ? REASONS[code] : undefined;
}
