import { RobotaError, type RobotaErrorOptions } from "../../errors.ts";
import type { ProblemCode } from "./operations/problem-codes.ts";

/** Codes of what the document does not describe: an executor, and the host of a session that only a front may call. */
type OtherCode = "MODEL_NOT_ALLOWED" | "NO_PRINCIPAL";

/** An error in a request, or a refusal, with its status. */
export class HttpProblem extends RobotaError {
  override readonly name = "HttpProblem" as const;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: ProblemCode | OtherCode,
    message: string,
    options: RobotaErrorOptions & { headers?: Record<string, string> | undefined } = {},
  ) {
    const { headers = {}, ...rest } = options;
    super(message, { code, category: "user", recoverable: status === 429, ...rest });
    this.status = status;
    this.headers = headers;
  }
}

/** Absent, foreign and malformed ids look the same from outside. */
export function notFound(): HttpProblem {
  return new HttpProblem(404, "NOT_FOUND", "There is no such session.", {
    hint: "GET /v1/sessions lists yours; POST /v1/sessions makes one.",
  });
}

/** The answer for a path at which nothing is served. */
export function noSuchRoute(): HttpProblem {
  return new HttpProblem(404, "NO_SUCH_ROUTE", "There is no such route.", {
    hint: "GET /openapi.json has all of them.",
  });
}

/** The answer for a path that is served with other methods. */
export function methodNotAllowed(allowed: readonly string[]): HttpProblem {
  const list = allowed.join(", ");
  return new HttpProblem(405, "METHOD_NOT_ALLOWED", "This path is not served with this method.", {
    hint: `It is served with ${list}.`,
    headers: { allow: list },
  });
}

/**
 * The answer to a request that creates a known id with another fingerprint, or sends another message under a known key.
 */
export function differentRequest(): HttpProblem {
  return new HttpProblem(
    422,
    "IDEMPOTENCY_KEY_REUSED",
    "This Idempotency-Key was used for a different request.",
    { hint: "Send a new key for a new request." },
  );
}

/** The answer to an owner with the maximum number of sessions. */
export function tooManySessions(limit: number): HttpProblem {
  return new HttpProblem(429, "TOO_MANY_SESSIONS", `You have ${limit} sessions.`, {
    hint: "DELETE one that you no longer need.",
    // For clients that wait: sessions end by a person's hand, not by themselves.
    headers: { "retry-after": "60" },
  });
}

/** The statuses of errors that clients learn the code of. */
const STATUS_OF_CODE: Readonly<Partial<Record<ProblemCode, number>>> = {
  COMMAND_REFUSED: 403,
  NOT_FOUND: 404,
  SESSION_BUSY: 409,
  QUEUE_FULL: 409,
  CLOSED: 409,
  ALREADY_ANSWERED: 409,
  FILE_CHANGED: 409,
  FENCED: 409,
  HANDED_OVER: 409,
  MODEL_NOT_AVAILABLE: 422,
  ATTACHMENT_REFUSED: 422,
  ATTACHMENT_TOO_LARGE: 413,
  VALIDATION_ERROR: 422,
  LOG_CORRUPT: 500,
  LOG_VERSION: 500,
  FULL: 507,
  CONFIGURATION_ERROR: 503,
};

const TITLES: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  409: "Conflict",
  412: "Precondition Failed",
  413: "Content Too Large",
  416: "Range Not Satisfiable",
  421: "Misdirected Request",
  426: "Upgrade Required",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  503: "Service Unavailable",
  507: "Insufficient Storage",
};

/** Reports whether an error is a regular answer; any other concerns the operator. */
export function isExpected(error: unknown): boolean {
  return error instanceof HttpProblem || statusOf(error) < 500;
}

/** Any error as RFC 9457 `application/problem+json`. Errors whose codes are not described reveal nothing. */
export function problemResponse(error: unknown): Response {
  const status = statusOf(error);
  const shown =
    error instanceof RobotaError && isDescribed(error)
      ? error
      : new RobotaError("The server failed to do this.", {
          code: "INTERNAL_ERROR",
          category: "system",
          recoverable: true,
          hint: "Try again; if it persists, check the server's log.",
        });
  const body = {
    type: "about:blank",
    title: TITLES[status] ?? "Internal Server Error",
    status,
    code: shown.code,
    detail: shown.message,
    hint: shown.hint,
  };
  const headers = error instanceof HttpProblem ? error.headers : {};
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      "content-type": "application/problem+json",
      "cache-control": "no-store",
      ...headers,
    },
  });
}

function isDescribed(error: RobotaError): boolean {
  return error instanceof HttpProblem || Object.hasOwn(STATUS_OF_CODE, error.code);
}

function statusOf(error: unknown): number {
  if (error instanceof HttpProblem) return error.status;
  const statuses: Readonly<Record<string, number>> = STATUS_OF_CODE;
  return (error instanceof RobotaError ? statuses[error.code] : undefined) ?? 500;
}
