import {
  ConfigurationError,
  type RobotaError,
  SessionError,
  type SessionErrorCode,
  StorageError,
  type StorageErrorCode,
  ValidationError,
} from "../../errors.ts";
import { CommandRefusedError } from "../../interactive/commands/command-refused.ts";
import { providerErrorOf } from "../../messages/reported-error.ts";
import type { ProblemCode } from "../http/operations/problem-codes.ts";
import { HttpProblem } from "../http/problem.ts";
import type { RemoteAnswer } from "./link.ts";
import { RemoteError } from "./remote-error.ts";

const SESSION_CODES: ReadonlySet<string> = new Set<SessionErrorCode>([
  "SESSION_BUSY",
  "QUEUE_FULL",
  "NOT_FOUND",
  "CLOSED",
  "ALREADY_ANSWERED",
  "FILE_CHANGED",
  "HANDED_OVER",
  "LOG_VERSION",
  "LOG_CORRUPT",
]);
const STORAGE_CODES: ReadonlySet<string> = new Set<StorageErrorCode>([
  "CONFLICT",
  "FULL",
  "FENCED",
  "CORRUPT",
  "IO",
  "STORAGE_ERROR",
]);
const PROVIDER_CODES: ReadonlySet<string> = new Set([
  "PROVIDER_ERROR",
  "AUTHENTICATION_ERROR",
  "RATE_LIMIT_ERROR",
  "NETWORK_ERROR",
  "MODEL_NOT_AVAILABLE",
]);

/** The error behind an RFC 9457 problem: of the class, code and hint that a session in this process throws. */
export function problemError({ status, body }: RemoteAnswer, command = ""): RobotaError {
  const { code, detail, hint } = fieldsOf(body);
  if (code === undefined) {
    return new RemoteError("BAD_ANSWER", `The server answered with ${status} and no reason`);
  }
  const message = detail ?? `The server answered with ${status}`;
  const options = hint === undefined ? {} : { hint };
  if (SESSION_CODES.has(code)) return new SessionError(code as SessionErrorCode, message, options);
  if (STORAGE_CODES.has(code)) return new StorageError(code as StorageErrorCode, message, options);
  if (PROVIDER_CODES.has(code)) return providerErrorOf({ code, message, provider: "", ...options });
  if (code === "VALIDATION_ERROR") return new ValidationError(message, options);
  if (code === "CONFIGURATION_ERROR") return new ConfigurationError(message, options);
  if (code === "COMMAND_REFUSED") return new CommandRefusedError(command, message, hint ?? "");
  // A newer server may have further codes.
  return new HttpProblem(status, code as ProblemCode, message, options);
}

function fieldsOf(body: unknown): { code?: string; detail?: string; hint?: string } {
  if (typeof body !== "object" || body === null) return {};
  const text = (name: string): object => {
    const value: unknown = Reflect.get(body, name);
    return typeof value === "string" ? { [name]: value } : {};
  };
  return { ...text("code"), ...text("detail"), ...text("hint") };
}
