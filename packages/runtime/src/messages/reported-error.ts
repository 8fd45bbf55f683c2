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
 * The error that facts were taken from, with its cause and stack, for as long as this process has the facts: what is
 * reported as data, such as an answer that was cut, is thrown as it was.
 */
const originals = new WeakMap<ErrorFacts, Error>();

/** Facts that `asError` turns into the same error again, in this process, and into one of its class in any other. */
export function reportable(error: Error): ErrorFacts {
  const facts = errorFacts(error);
  originals.set(facts, error);
  return facts;
}

/**
 * An error that was reported as data, as one that can be thrown.
 * @param provider who failed, when the facts do not say so
 */
export function asError(error: unknown, provider = ""): Error {
  if (error instanceof Error) return error;
  const isObject = typeof error === "object" && error !== null;
  const original = isObject && originals.get(error as ErrorFacts);
  return original || rebuilt(errorFacts(error), provider);
}

/** What services refuse for good, unlike what they fail at: codes of a `ProviderError` that name the person. */
const REFUSALS: ReadonlySet<string> = new Set([
  "CONTEXT_LENGTH",
  "REQUEST_TOO_LARGE",
  "QUOTA_EXCEEDED",
  "REFUSED",
  "INVALID_REQUEST",
]);

function rebuilt(facts: ErrorFacts, provider: string): RobotaError {
  const { code, message, category, recoverable, hint } = facts;
  // What is the model's service's trouble has come from a provider, and so has what says nothing of where it is from.
  const isOfProvider = facts.provider !== undefined || category === undefined;
  if (isOfProvider || category === "provider")
    return providerErrorOf({ ...facts, provider: facts.provider ?? provider });
  return new RobotaError(message, {
    code,
    category,
    recoverable: recoverable ?? false,
    ...(hint === undefined ? {} : { hint }),
  });
}

/** The error that a provider's failure stands for, by its code. */
export function providerErrorOf(facts: ErrorFacts & { provider: string }): ProviderError {
  const { code, message, provider, hint, status, retryAfterMs } = facts;
  const said: ProviderErrorFacts = {
    provider,
    ...(hint === undefined ? {} : { hint }),
    ...(status === undefined ? {} : { status }),
  };
  switch (code) {
    case "AUTHENTICATION_ERROR":
      return new AuthenticationError(message, said);
    case "RATE_LIMIT_ERROR":
      return new RateLimitError(message, {
        ...said,
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      });
    case "NETWORK_ERROR":
      return new NetworkError(message, said);
    case "MODEL_NOT_AVAILABLE":
      return new ModelNotAvailableError(message, said);
    default:
      return new ProviderError(message, { ...defaultsOf(code), ...defined(facts), ...said, code });
  }
}

function defaultsOf(code: string): {
  category: ErrorCategory;
  recoverable: boolean;
  hint?: string;
} {
  return REFUSALS.has(code)
    ? { category: "user", recoverable: false, hint: "Change what the message names." }
    : { category: "provider", recoverable: true };
}

function defined({ category, recoverable }: ErrorFacts): {
  category?: ErrorCategory;
  recoverable?: boolean;
} {
  return {
    ...(category === undefined ? {} : { category }),
    ...(recoverable === undefined ? {} : { recoverable }),
  };
}
