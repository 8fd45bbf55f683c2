import type { Destination } from "../../network/policy.ts";
import { abortError, ConfigurationError, errorMessage, RobotaError } from "../../errors.ts";
import type { JsonObject, ToolArgs } from "../../messages/message.ts";
import { redact } from "../../messages/redact.ts";
import type { Platform } from "../../ports/platform.ts";
import { settle, ToolFailure } from "../failure.ts";
import type { Tool, ToolContext, ToolResult } from "../tool.ts";
import { patternWarnings } from "../validate-args.ts";
import { readDocument } from "./document.ts";
import { type DocumentOperation, operationsOf, type SkippedOperation } from "./operation.ts";
import { requestOf } from "./request.ts";
import { resultOf } from "./response.ts";
import {
  checkCredentials,
  type CredentialPlan,
  credentialPlaces,
  type OpenAPICredential,
  planSecurity,
} from "./security.ts";
import { type ServerOptions, serverUrl } from "./server.ts";

const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_RESPONSE_BYTES = 1024 * 1024;

interface CallOptions {
  /** Instead of the platform's. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Sent with every request. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Milliseconds for a whole call; default 60,000. */
  timeoutMs?: number | undefined;
  /** Limit for an answer, which is truncated beyond; default 1 MiB. */
  maxResponseBytes?: number | undefined;
}

export interface OpenAPIToolsOptions extends CallOptions, ServerOptions {
  /** Credentials by the document's security schemes. Models never see them. */
  credentials?: Readonly<Record<string, OpenAPICredential>> | undefined;
  /** Selects the operations that become tools; all by default. */
  include?(operation: OpenAPIOperation): boolean;
  /** Prefix of every tool's name. */
  prefix?: string | undefined;
  /** Called with each operation that can't be offered, and the reason. */
  onSkip?(operation: SkippedOperation): void;
}

export type OpenAPIOperation = Pick<
  DocumentOperation,
  "name" | "operationId" | "method" | "path" | "description" | "tags"
>;

/** HTTP's safe methods, which change nothing. */
const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS", "TRACE"]);

/** A tool that calls one operation of an HTTP API. Created by `createOpenAPITools`. */
export class OperationTool implements Tool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
  /** Follows from the method: a safe one only fetches. */
  readonly access: "network" | "network-write";
  readonly idempotent: boolean;
  /** HTTP method, such as `GET`. */
  readonly method: string;
  /** Path template in the document, such as `/pets/{id}`. */
  readonly path: string;
  readonly #operation: DocumentOperation;
  readonly #server: string;
  readonly #credentials: readonly CredentialPlan[];
  readonly #options: CallOptions & Pick<ServerOptions, "baseUrl" | "documentUrl">;
  #hasWarned = false;

  constructor(
    operation: DocumentOperation,
    server: string,
    credentials: readonly CredentialPlan[],
    options: CallOptions & Pick<ServerOptions, "baseUrl" | "documentUrl">,
  ) {
    this.name = operation.name;
    this.description = operation.description;
    this.parameters = operation.argumentsSchema;
    this.method = operation.method;
    this.idempotent = SAFE_METHODS.has(operation.method.toUpperCase());
    this.access = this.idempotent ? "network" : "network-write";
    this.path = operation.path;
    this.#operation = operation;
    this.#server = server;
    this.#credentials = credentials;
    this.#options = options;
  }

  execute(args: ToolArgs, context: ToolContext): Promise<ToolResult> {
    return settle(async () => {
      await this.#warnOnce(context.platform);
      return this.#call(args, context);
    });
  }

  /** Warns once about constraints of the document that argument checks can't enforce. */
  async #warnOnce(platform: Pick<Platform, "warn">): Promise<void> {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    for (const warning of await patternWarnings(this)) platform.warn?.(warning);
  }

  /** A document may name any address as its server; only one that a person gave may be private. */
  async #destination(url: string): Promise<Destination> {
    const { checkDestination } = await import("../../network/policy.ts");
    const { baseUrl, documentUrl } = this.#options;
    const given = [baseUrl, documentUrl].flatMap(
      (address) => URL.parse(address ?? "")?.origin ?? [],
    );
    return checkDestination(url, { allowPrivateOrigins: given });
  }

  async #call(args: ToolArgs, context: ToolContext): Promise<ToolResult> {
    const {
      fetch = context.platform.fetch,
      headers = {},
      timeoutMs = DEFAULT_TIMEOUT_MS,
      maxResponseBytes = DEFAULT_RESPONSE_BYTES,
    } = this.#options;
    const operation = `${this.method} ${this.path}`;
    const request = await requestOf(
      this.#operation,
      this.#server,
      args,
      this.#credentials,
      headers,
    );
    const { url, init, secrets } = request;
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([context.signal, timeout]);
    try {
      signal.throwIfAborted();
      // A redirect could carry a key in a header to another machine.
      const sent: RequestInit = { ...init, redirect: "manual", signal };
      const { url: destination, isAccepted } = await this.#destination(url);
      const { pinnedFetch } = context.platform;
      const response = await (pinnedFetch && !this.#options.fetch
        ? pinnedFetch(destination, sent, isAccepted)
        : fetch(destination.href, sent));
      return await resultOf(response, { operation, secrets, maxBytes: maxResponseBytes }, context);
    } catch (cause) {
      if (context.signal.aborted) throw abortError();
      if (timeout.aborted) {
        throw new ToolFailure("timeout", `${operation} took over ${timeoutMs / 1000} s.`, {
          cause,
        });
      }
      if (cause instanceof RobotaError) throw cause;
      const reason = redact(reasonOf(cause), secrets);
      throw new ToolFailure("network_error", `${operation} got no answer: ${reason}`, {
        cause,
        hint: `Check whether ${new URL(this.#server).host} is up; a page also needs its permission (CORS).`,
      });
    }
  }
}

/**
 * Tools for the operations of an HTTP API, from its OpenAPI document: an object, or its text in JSON or YAML. Arguments
 * are checked against the document's schemas before anything is sent; an answer with an error status is a failed result.
 * When a pattern can't be checked in bounded time, the first call of its tool reports so by the platform's `warn`.
 *
 * @throws {ConfigurationError} when the document can't be used, or no operation of it can be offered
 */
export async function createOpenAPITools(
  source: object | string,
  options: OpenAPIToolsOptions = {},
): Promise<OperationTool[]> {
  const { credentials = {}, prefix } = options;
  const document = await readDocument(source);
  checkCredentials(document, credentials);
  const { operations, skipped } = operationsOf(document, credentialPlaces(document), prefix);
  const tools: OperationTool[] = [];
  for (const operation of operations.filter((one) => options.include?.(one) ?? true)) {
    const security = planSecurity(document, operation, credentials);
    if ("reason" in security) {
      const { method, path, operationId } = operation;
      skipped.push({ method, path, operationId, ...security });
      continue;
    }
    const server = serverUrl(operation.servers, options);
    tools.push(new OperationTool(operation, server, security, options));
  }
  for (const operation of skipped) options.onSkip?.(operation);
  if (tools.length > 0) return tools;
  const [first] = skipped;
  throw new ConfigurationError("The OpenAPI document has no operation that could be a tool", {
    hint: first
      ? `${first.method} ${first.path}, for example: ${first.reason}. Give \`credentials\` by the names of the security schemes.`
      : "Check its `paths`, and `include`.",
  });
}

/** The message of `fetch` often says only that it failed; its cause has the reason. */
function reasonOf(error: unknown): string {
  const reasons = new Set<string>();
  for (let next = error, depth = 0; next instanceof Error && depth < 5; depth += 1) {
    reasons.add(errorMessage(next));
    next = next instanceof AggregateError ? (next.errors[0] as unknown) : next.cause;
  }
  return [...reasons].filter((reason) => reason !== "").join(": ") || errorMessage(error);
}
