/** Who has to act: the person (`user`), the model's service (`provider`), or the machine and this code (`system`). */
export type ErrorCategory = "user" | "provider" | "system";

export interface RobotaErrorOptions {
  cause?: unknown;
  /** One sentence for a person: what to do next. */
  hint?: string;
}

/** Base of every error that this package throws. Branch on `code`; the message and the hint are for people. */
export class RobotaError extends Error {
  override readonly name: string = "RobotaError";
  readonly code: string;
  readonly category: ErrorCategory;
  /** Whether the same call can succeed later without anybody changing anything. */
  readonly recoverable: boolean;
  readonly hint: string;

  constructor(
    message: string,
    facts: { code: string; category: ErrorCategory; recoverable: boolean } & RobotaErrorOptions,
  ) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = facts.code;
    this.category = facts.category;
    this.recoverable = facts.recoverable;
    this.hint = facts.hint ?? "";
  }

  /** What may leave the process: no stack, no cause. */
  toJSON(): Record<string, unknown> {
    const { name, code, message, category, recoverable, hint } = this;
    return { name, code, message, category, recoverable, hint };
  }
}

/** The POSIX codes that the `FileSystem` port uses; `EIO` is whatever else the host reports. */
export type FileSystemErrorCode =
  | "ENOENT"
  | "EEXIST"
  | "EISDIR"
  | "ENOTDIR"
  | "ENOTEMPTY"
  | "EACCES"
  | "EPERM"
  | "EINVAL"
  | "ELOOP"
  | "ENAMETOOLONG"
  | "ENOSPC"
  | "EROFS"
  | "EBUSY"
  | "EIO";

const fileSystemMessages: Record<FileSystemErrorCode, string> = {
  ENOENT: "no such file or directory",
  EEXIST: "file already exists",
  EISDIR: "illegal operation on a directory",
  ENOTDIR: "not a directory",
  ENOTEMPTY: "directory not empty",
  EACCES: "permission denied",
  EPERM: "operation not permitted",
  EINVAL: "invalid argument",
  ELOOP: "too many levels of symbolic links",
  ENAMETOOLONG: "file name too long",
  ENOSPC: "no space left",
  EROFS: "read-only file system",
  EBUSY: "resource busy",
  EIO: "input/output error",
};

/** Thrown by every `FileSystem`. The message starts with the code, as just-bash and Node users expect. */
export class FileSystemError extends RobotaError {
  override readonly name = "FileSystemError" as const;
  declare readonly code: FileSystemErrorCode;
  readonly path: string;

  constructor(code: FileSystemErrorCode, path: string, options: RobotaErrorOptions = {}) {
    super(`${code}: ${fileSystemMessages[code]}, '${path}'`, {
      code,
      category: code === "ENOSPC" || code === "EIO" ? "system" : "user",
      recoverable: code === "ENOSPC" || code === "EBUSY",
      ...options,
    });
    this.path = path;
  }
}

/**
 * `CONFLICT` (compare-and-set lost), `FULL` (quota or disk), `INVALID_KEY`, `ABORTED`, `FENCED` (the lease was taken
 * over), `CORRUPT` (what is stored can't be read), `CLOSED` (the platform was disposed), `IO` (the host reported anything
 * else), `STORAGE_ERROR` (a storage of one's own that says no more).
 */
export type StorageErrorCode =
  | "CONFLICT"
  | "FULL"
  | "INVALID_KEY"
  | "ABORTED"
  | "FENCED"
  | "CORRUPT"
  | "CLOSED"
  | "IO"
  | "STORAGE_ERROR";

const PASSING_STORAGE_ERRORS: ReadonlySet<StorageErrorCode> = new Set([
  "CONFLICT",
  "FULL",
  "IO",
  "STORAGE_ERROR",
]);

/** Thrown by every `Storage`, and by what is built on it. */
export class StorageError extends RobotaError {
  override readonly name = "StorageError" as const;

  constructor(code: StorageErrorCode, message: string, options: RobotaErrorOptions = {}) {
    const recoverable = PASSING_STORAGE_ERRORS.has(code);
    super(message, { code, category: "system", recoverable, ...options });
  }
}

/** A shell that can't run anything at all; a command that fails is a result, not an error. */
export class ShellError extends RobotaError {
  override readonly name = "ShellError" as const;

  constructor(message: string, options: RobotaErrorOptions = {}) {
    super(message, { code: "SHELL_ERROR", category: "system", recoverable: false, ...options });
  }
}

/** A setting or option that can't be used, with what to write instead in `hint`. */
export class ConfigurationError extends RobotaError {
  override readonly name = "ConfigurationError" as const;

  constructor(message: string, options: RobotaErrorOptions = {}) {
    super(message, {
      code: "CONFIGURATION_ERROR",
      category: "user",
      recoverable: false,
      ...options,
    });
  }
}

/** Input that does not have the form it must have. */
export class ValidationError extends RobotaError {
  override readonly name = "ValidationError" as const;

  constructor(message: string, options: RobotaErrorOptions = {}) {
    super(message, { code: "VALIDATION_ERROR", category: "user", recoverable: false, ...options });
  }
}

export interface ProviderErrorFacts extends RobotaErrorOptions {
  provider: string;
  /** HTTP status, when there was an answer. */
  status?: number;
}

/** The model's service failed or answered something that can't be used. */
export class ProviderError extends RobotaError {
  override readonly name: string = "ProviderError";
  readonly provider: string;
  readonly status: number | undefined;

  constructor(
    message: string,
    facts: ProviderErrorFacts & { code?: string; category?: ErrorCategory; recoverable?: boolean },
  ) {
    super(message, { code: "PROVIDER_ERROR", category: "provider", recoverable: true, ...facts });
    this.provider = facts.provider;
    this.status = facts.status;
  }
}

/** The key is missing, wrong or not allowed to do this. */
export class AuthenticationError extends ProviderError {
  override readonly name = "AuthenticationError" as const;

  constructor(message: string, facts: ProviderErrorFacts) {
    super(message, {
      ...facts,
      code: "AUTHENTICATION_ERROR",
      category: "user",
      recoverable: false,
    });
  }
}

/** The service refuses for now, and retries were used up. */
export class RateLimitError extends ProviderError {
  override readonly name = "RateLimitError" as const;
  /** Milliseconds the service asked to wait, when it said so. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, facts: ProviderErrorFacts & { retryAfterMs?: number }) {
    super(message, { ...facts, code: "RATE_LIMIT_ERROR", recoverable: true });
    this.retryAfterMs = facts.retryAfterMs;
  }
}

/** No answer: offline, DNS, TLS, CORS, a cut or silent stream. */
export class NetworkError extends ProviderError {
  override readonly name = "NetworkError" as const;

  constructor(message: string, facts: ProviderErrorFacts) {
    super(message, { ...facts, code: "NETWORK_ERROR", category: "system", recoverable: true });
  }
}

/** The service has no such model, or this key may not use it. */
export class ModelNotAvailableError extends ProviderError {
  override readonly name = "ModelNotAvailableError" as const;

  constructor(message: string, facts: ProviderErrorFacts) {
    super(message, { ...facts, code: "MODEL_NOT_AVAILABLE", category: "user", recoverable: false });
  }
}

/** A tool failed in a way its caller must see as an error. Inside a session, tool failures are results. */
export class ToolExecutionError extends RobotaError {
  override readonly name = "ToolExecutionError" as const;
  readonly tool: string;

  constructor(tool: string, message: string, options: RobotaErrorOptions = {}) {
    super(message, {
      code: "TOOL_EXECUTION_ERROR",
      category: "system",
      recoverable: false,
      ...options,
    });
    this.tool = tool;
  }
}

/** Calls are refused for a while because too many failed. */
export class CircuitBreakerOpenError extends RobotaError {
  override readonly name = "CircuitBreakerOpenError" as const;

  constructor(message: string, options: RobotaErrorOptions = {}) {
    super(message, {
      code: "CIRCUIT_BREAKER_OPEN",
      category: "system",
      recoverable: true,
      ...options,
    });
  }
}

/** A plugin threw; the turn it watched goes on. */
export class PluginError extends RobotaError {
  override readonly name = "PluginError" as const;
  readonly plugin: string;

  constructor(plugin: string, message: string, options: RobotaErrorOptions = {}) {
    super(message, { code: "PLUGIN_ERROR", category: "system", recoverable: false, ...options });
    this.plugin = plugin;
  }
}

/**
 * What a session refuses to do now: `SESSION_BUSY` (another tab or process holds it), `QUEUE_FULL`, `NOT_FOUND`,
 * `CLOSED`, `ALREADY_ANSWERED`, `LOG_VERSION` (written by a newer version), `LOG_CORRUPT`.
 */
export type SessionErrorCode =
  | "SESSION_BUSY"
  | "QUEUE_FULL"
  | "NOT_FOUND"
  | "CLOSED"
  | "ALREADY_ANSWERED"
  | "LOG_VERSION"
  | "LOG_CORRUPT";

export class SessionError extends RobotaError {
  override readonly name = "SessionError" as const;

  constructor(code: SessionErrorCode, message: string, options: RobotaErrorOptions = {}) {
    const recoverable = code === "SESSION_BUSY" || code === "QUEUE_FULL";
    super(message, { code, category: "user", recoverable, ...options });
  }
}

/** What `AbortSignal` users expect to catch, on every host. */
export function abortError(): DOMException {
  return new DOMException("Aborted", "AbortError");
}

export function isAbortError(error: unknown): boolean {
  return error instanceof DOMException
    ? error.name === "AbortError"
    : error instanceof Error && error.name === "AbortError";
}

/** The message of whatever was thrown. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What may be kept of an error: no stack and no cause. */
export interface ErrorFacts {
  code: string;
  message: string;
  hint?: string;
}

/** The code, message and hint of whatever was thrown or reported. */
export function errorFacts(error: unknown): ErrorFacts {
  if (error instanceof RobotaError) {
    const { code, message, hint } = error;
    return hint === "" ? { code, message } : { code, message, hint };
  }
  const facts = (typeof error === "object" ? error : null) as Partial<
    Record<string, unknown>
  > | null;
  return {
    code: typeof facts?.code === "string" ? facts.code : "UNKNOWN_ERROR",
    message: typeof facts?.message === "string" ? facts.message : errorMessage(error),
  };
}

/** An error that was reported as data (a provider may do so for a cut stream), as one that can be thrown. */
export function asError(error: unknown): Error {
  if (error instanceof Error) return error;
  return new RobotaError(errorFacts(error).message, {
    ...errorFacts(error),
    category: "provider",
    recoverable: true,
  });
}

/** Calls what a program hung in. Its mistake is its own: it surfaces as an uncaught error, and the caller goes on. */
export function callSafely(run: () => void): void {
  try {
    run();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
