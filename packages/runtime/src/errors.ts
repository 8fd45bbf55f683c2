import { defined } from "./defined.ts";

/**
 * The party that must act: the person (`user`), the model's service (`provider`), or the machine and this code
 * (`system`).
 */
export type ErrorCategory = "user" | "provider" | "system";

export interface RobotaErrorOptions {
  cause?: unknown;
  /** One sentence for a person: the next step. */
  hint?: string | undefined;
}

/** Base of every error that this package throws. Branch on `code`; the message and the hint are for people. */
export class RobotaError extends Error {
  override readonly name: string = "RobotaError";
  readonly code: string;
  readonly category: ErrorCategory;
  /** True when the same call can succeed later without any change. */
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

  /** The part that may leave the process: no stack, no cause. */
  toJSON(): Record<string, unknown> {
    const { name, code, message, category, recoverable, hint } = this;
    return { name, code, message, category, recoverable, hint };
  }
}

/** The POSIX codes of the `FileSystem` port; `EIO` covers anything else that the host reports. */
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

const fileSystemHints: Record<FileSystemErrorCode, string> = {
  ENOENT: "Check the path: list its directory to see the entries.",
  EEXIST: "Choose another name, or remove the existing entry first.",
  EISDIR: "Name a file in that directory instead.",
  ENOTDIR: "A part of the path is a file: check it.",
  ENOTEMPTY: "Remove its entries first, or remove it recursively.",
  EACCES: "Check the path's permissions.",
  EPERM: "Check its owner, and whether it may be changed at all.",
  EINVAL: "Check the path and the requested operation.",
  ELOOP: "Symbolic links lead in a circle: remove one of them.",
  ENAMETOOLONG: "Choose a shorter name.",
  ENOSPC: "Make room, then try again.",
  EROFS: "Write to another place.",
  EBUSY: "Try again when it is no longer in use.",
  EIO: "Try again; if it fails again, check the disk and its logs.",
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
      hint: options.hint || fileSystemHints[code],
    });
    this.path = path;
  }
}

/**
 * `CONFLICT` (compare-and-set lost), `FULL` (quota or disk), `INVALID_KEY`, `ABORTED`, `FENCED` (the lease was taken
 * over), `CORRUPT` (stored data can't be read), `CLOSED` (the platform was disposed), `IO` (the host reported anything
 * else), `STORAGE_ERROR` (a custom storage without a more specific code).
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

const storageHints: Record<StorageErrorCode, string> = {
  CONFLICT: "It was changed concurrently: read it again, then repeat the change.",
  FULL: "Make room, such as by deleting sessions, then try again.",
  INVALID_KEY: "Choose a shorter or simpler name.",
  ABORTED: "Ask again when it is needed.",
  FENCED: "Close this view of it, or take it back.",
  CORRUPT: "Restore it from a copy, or delete it.",
  CLOSED: "Open the platform again.",
  IO: "Try again; if it fails again, check the error's cause.",
  STORAGE_ERROR: "Try again; if it fails again, check the error's cause.",
};

/** Thrown by every `Storage`, and by everything built on it. */
export class StorageError extends RobotaError {
  override readonly name = "StorageError" as const;

  constructor(code: StorageErrorCode, message: string, options: RobotaErrorOptions = {}) {
    const recoverable = PASSING_STORAGE_ERRORS.has(code);
    const hint = options.hint || storageHints[code];
    super(message, { code, category: "system", recoverable, ...options, hint });
  }
}

/** The shell can't run at all; a failing command is a result, not an error. */
export class ShellError extends RobotaError {
  override readonly name = "ShellError" as const;

  constructor(message: string, options: RobotaErrorOptions = {}) {
    super(message, {
      code: "SHELL_ERROR",
      category: "system",
      recoverable: false,
      ...options,
      hint: options.hint ?? "Check that the platform has a shell; the message has the reason.",
    });
  }
}

/** An unusable setting or option; `hint` says what to write instead. */
export class ConfigurationError extends RobotaError {
  override readonly name = "ConfigurationError" as const;

  constructor(message: string, options: RobotaErrorOptions = {}) {
    super(message, {
      code: "CONFIGURATION_ERROR",
      category: "user",
      recoverable: false,
      ...options,
      hint: options.hint ?? "Change the option or setting that the message names.",
    });
  }
}

/** Input in an invalid form. */
export class ValidationError extends RobotaError {
  override readonly name = "ValidationError" as const;

  constructor(message: string, options: RobotaErrorOptions = {}) {
    super(message, {
      code: "VALIDATION_ERROR",
      category: "user",
      recoverable: false,
      ...options,
      hint: options.hint ?? "Correct the input that the message names, then try again.",
    });
  }
}

/**
 * Checks an argument or an option whose type no compiler has checked.
 * @throws {ValidationError} that names it
 */
export function requireArgument(
  name: string,
  value: unknown,
  type: "string" | "number" | "boolean" | "function" | "object" | "array" = "string",
): void {
  const given = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  if (given === type) return;
  throw new ValidationError(`The value of ${name} is of type ${given}`, {
    hint: `Pass a value of type ${type} as ${name}.`,
  });
}

export interface ProviderErrorFacts extends RobotaErrorOptions {
  provider: string;
  /** HTTP status, when there was an answer. */
  status?: number | undefined;
}

/** The model's service failed or sent an unusable answer. */
export class ProviderError extends RobotaError {
  override readonly name: string = "ProviderError";
  readonly provider: string;
  readonly status: number | undefined;

  constructor(
    message: string,
    facts: ProviderErrorFacts & { code?: string; category?: ErrorCategory; recoverable?: boolean },
  ) {
    super(message, {
      code: "PROVIDER_ERROR",
      category: "provider",
      recoverable: true,
      ...facts,
      hint: facts.hint ?? "Try again; if it fails again, check the service's status page.",
    });
    this.provider = facts.provider;
    this.status = facts.status;
  }
}

/** The key is missing, wrong, or lacks the permission. */
export class AuthenticationError extends ProviderError {
  override readonly name = "AuthenticationError" as const;

  constructor(message: string, facts: ProviderErrorFacts) {
    super(message, {
      ...facts,
      hint: facts.hint ?? "Check the key, and that it may use this model.",
      code: "AUTHENTICATION_ERROR",
      category: "user",
      recoverable: false,
    });
  }
}

/** The service is rate limiting, and retries were used up. */
export class RateLimitError extends ProviderError {
  override readonly name = "RateLimitError" as const;
  /** Milliseconds the service asked to wait, if it said so. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, facts: ProviderErrorFacts & { retryAfterMs?: number | undefined }) {
    super(message, {
      ...facts,
      hint: facts.hint ?? "Wait a while, then try again.",
      code: "RATE_LIMIT_ERROR",
      recoverable: true,
    });
    this.retryAfterMs = facts.retryAfterMs;
  }
}

/** The service can't be reached: offline, DNS, TLS, CORS, a broken or silent stream. */
export class NetworkError extends ProviderError {
  override readonly name = "NetworkError" as const;

  constructor(message: string, facts: ProviderErrorFacts) {
    super(message, {
      ...facts,
      hint: facts.hint ?? "Check the connection and the address, then try again.",
      code: "NETWORK_ERROR",
      category: "system",
      recoverable: true,
    });
  }
}

/** The service has no such model, or this key may not use it. */
export class ModelNotAvailableError extends ProviderError {
  override readonly name = "ModelNotAvailableError" as const;

  constructor(message: string, facts: ProviderErrorFacts) {
    super(message, {
      ...facts,
      hint: facts.hint ?? "Choose a model that this key may use.",
      code: "MODEL_NOT_AVAILABLE",
      category: "user",
      recoverable: false,
    });
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
      hint: options.hint ?? "Check the cause, the tool's own error.",
    });
    this.tool = tool;
  }
}

/** Calls are refused for a while after too many failures. */
export class CircuitBreakerOpenError extends RobotaError {
  override readonly name = "CircuitBreakerOpenError" as const;

  constructor(message: string, options: RobotaErrorOptions = {}) {
    super(message, {
      code: "CIRCUIT_BREAKER_OPEN",
      category: "system",
      recoverable: true,
      ...options,
      hint: options.hint ?? "Wait until calls are let through again.",
    });
  }
}

/** A plugin threw; the turn continues. */
export class PluginError extends RobotaError {
  override readonly name = "PluginError" as const;
  readonly plugin: string;

  constructor(plugin: string, message: string, options: RobotaErrorOptions = {}) {
    super(message, {
      code: "PLUGIN_ERROR",
      category: "system",
      recoverable: false,
      ...options,
      hint: options.hint ?? "Check the cause, the plugin's own error.",
    });
    this.plugin = plugin;
  }
}

/** Refusals of a session. */
export type SessionErrorCode =
  /** Another tab or process has it open, or it does something that excludes this: the message says which. */
  | "SESSION_BUSY"
  | "QUEUE_FULL"
  | "NOT_FOUND"
  | "CLOSED"
  | "ALREADY_ANSWERED"
  /** A file to restore was changed since it was listed. */
  | "FILE_CHANGED"
  /** It goes on at another host. */
  | "HANDED_OVER"
  /** A newer version wrote it. */
  | "LOG_VERSION"
  | "LOG_CORRUPT";

const sessionHints: Record<SessionErrorCode, string> = {
  SESSION_BUSY: "Wait, or, where another has it open, close it there, read along, or take it over.",
  QUEUE_FULL: "Wait until a turn ends, or take a prompt out of the queue.",
  NOT_FOUND: "List the existing ones.",
  CLOSED: "Open it again by its id.",
  ALREADY_ANSWERED: "Nothing has to be done: the first answer counts.",
  FILE_CHANGED: "List them again.",
  HANDED_OVER: "Open it where it goes on.",
  LOG_VERSION: "Update to a version that reads it.",
  LOG_CORRUPT: "Restore it from an export or another copy.",
};

/** Error of a refusal by the session; see `SessionErrorCode`. `SESSION_BUSY` and `QUEUE_FULL` are recoverable. */
export class SessionError extends RobotaError {
  override readonly name = "SessionError" as const;

  constructor(code: SessionErrorCode, message: string, options: RobotaErrorOptions = {}) {
    const recoverable = code === "SESSION_BUSY" || code === "QUEUE_FULL";
    const hint = options.hint ?? sessionHints[code];
    super(message, { code, category: "user", recoverable, ...options, hint });
  }
}

/**
 * Milliseconds that a provider, tool, hook or plugin may take to settle after an abort before the turn continues
 * without it; the rest of the 250 in which a turn ends is for the turn's own last writes.
 */
export const ABORT_GRACE_MS = 100;

/** The error that `AbortSignal` users expect, on every host. */
export function abortError(): DOMException {
  return new DOMException("Aborted", "AbortError");
}

export function isAbortError(error: unknown): boolean {
  return error instanceof DOMException
    ? error.name === "AbortError"
    : error instanceof Error && error.name === "AbortError";
}

/** The message of any thrown value. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The storable facts of an error: no stack and no cause. */
export interface ErrorFacts {
  code: string;
  message: string;
  hint?: string;
  category?: ErrorCategory;
  recoverable?: boolean;
  /** The provider that failed. */
  provider?: string;
  /** HTTP status of a provider's failure, when there was an answer. */
  status?: number;
  /** Milliseconds the service asked to wait. */
  retryAfterMs?: number;
}

/** The facts of a thrown value, or of facts reported earlier. */
export function errorFacts(error: unknown): ErrorFacts {
  const facts = (typeof error === "object" ? error : null) as Record<string, unknown> | null;
  const { code, hint, category, recoverable, provider, status, retryAfterMs } = facts ?? {};
  return defined({
    code: typeof code === "string" ? code : "UNKNOWN_ERROR",
    message: typeof facts?.["message"] === "string" ? facts["message"] : errorMessage(error),
    hint: typeof hint === "string" && hint !== "" ? hint : undefined,
    category: isCategory(category) ? category : undefined,
    recoverable: typeof recoverable === "boolean" ? recoverable : undefined,
    provider: typeof provider === "string" && provider !== "" ? provider : undefined,
    status: typeof status === "number" ? status : undefined,
    retryAfterMs: typeof retryAfterMs === "number" ? retryAfterMs : undefined,
  });
}

function isCategory(value: unknown): value is ErrorCategory {
  return value === "user" || value === "provider" || value === "system";
}

/** Calls a callback of the program. Its errors are its own: they surface as uncaught, and the caller continues. */
export function callSafely(run: () => void): void {
  try {
    run();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
