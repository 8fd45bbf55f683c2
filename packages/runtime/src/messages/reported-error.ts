import { defined } from "../defined.ts";
import {
  AuthenticationError,
  type ErrorCategory,
  type ErrorFacts,
  errorFacts,
  ModelNotAvailableError,
  NetworkError,
  ProviderError,
  type ProviderErrorFacts,
  RateLimitError,
  RobotaError,
} from "../errors.ts";

/**
 * The error behind reported facts, with its cause and stack, for as long as this process holds the facts: an error
 * reported as data, such as that of an interrupted answer, is thrown as the original.
 */
const originals = new WeakMap<ErrorFacts, Error>();

/** Facts that `asError` turns into the same error again, in this process, and into one of its class in any other. */
export function reportable(error: Error): ErrorFacts {
  const facts = errorFacts(error);
  originals.set(facts, error);
  return facts;
}

/**
 * Turns an error reported as data into one to throw.
 * @param provider the provider that failed, when the facts do not say so
 */
export function asError(error: unknown, provider = ""): Error {
  if (error instanceof Error) return error;
  const isObject = typeof error === "object" && error !== null;
  const original = isObject && originals.get(error as ErrorFacts);
  return original || rebuilt(errorFacts(error), provider);
}

/** Final refusals of services, unlike transient failures: codes of a `ProviderError` in the category `user`. */
const REFUSALS: ReadonlySet<string> = new Set([
  "CONTEXT_LENGTH",
  "REQUEST_TOO_LARGE",
  "QUOTA_EXCEEDED",
  "REFUSED",
  "INVALID_REQUEST",
]);

function rebuilt(facts: ErrorFacts, provider: string): RobotaError {
  const { code, message, category, recoverable, hint } = facts;
  // Errors of the category `provider` come from a provider, and so do errors without a category.
  const isOfProvider = facts.provider !== undefined || category === undefined;
  if (isOfProvider || category === "provider")
    return providerErrorOf({ ...facts, provider: facts.provider ?? provider });
  return new RobotaError(message, {
    code,
    category,
    recoverable: recoverable ?? false,
    hint,
  });
}

/** The provider error for given facts, by their code. */
export function providerErrorOf(facts: ErrorFacts & { provider: string }): ProviderError {
  const { code, message, provider, hint, status, retryAfterMs } = facts;
  const said: ProviderErrorFacts = {
    provider,
    hint,
    status,
  };
  switch (code) {
    case "AUTHENTICATION_ERROR":
      return new AuthenticationError(message, said);
    case "RATE_LIMIT_ERROR":
      return new RateLimitError(message, {
        ...said,
        retryAfterMs,
      });
    case "NETWORK_ERROR":
      return new NetworkError(message, said);
    case "MODEL_NOT_AVAILABLE":
      return new ModelNotAvailableError(message, said);
    default:
      return new ProviderError(message, {
        ...defaultsOf(code),
        ...defined({ category: facts.category, recoverable: facts.recoverable }),
        ...said,
        code,
      });
  }
}

function defaultsOf(code: string): {
  category: ErrorCategory;
  recoverable: boolean;
  hint?: string;
} {
  return REFUSALS.has(code)
    ? { category: "user", recoverable: false, hint: "Correct the input that the message names." }
    : { category: "provider", recoverable: true };
}
