import type {
  CallToolResult,
  ElicitRequestFormParams,
  InputRequiredResult,
  McpServer,
  ServerContext,
} from "@modelcontextprotocol/server";
import type { InteractiveSession } from "../../interactive/interactive-session.ts";
import type { ExecutionResult } from "../../interactive/types.ts";
import type { PermissionRequest, SessionEvent } from "../../session/log/events.ts";
import type * as Sdk from "./sdk.ts";

export interface Client {
  sdk: typeof Sdk;
  server: McpServer;
  /** Since 2026-07-28, a server asks by an unfinished answer (`modern`); before, by a request of its own. */
  era: "legacy" | "modern";
  context: ServerContext;
}

type Answer = CallToolResult | InputRequiredResult;

/** The content of an unfinished answer: the turn runs already. */
const RUNNING = "turn";
const CANNOT_ASK = "The client of this session has no way to ask its user.";

/** The turns of sessions that wait for an answer of their client's. */
const waiting = new WeakMap<InteractiveSession, Promise<ExecutionResult>>();

/**
 * Runs a turn as a call of a tool. Its requests for permission go to the client's user; an answer of a client that is called
 * off, or can't ask, denies. When the call is called off, the turn is stopped.
 */
export async function runTurn(
  session: InteractiveSession,
  client: Client,
  begin: () => Promise<ExecutionResult>,
): Promise<Answer> {
  const { mcpReq } = client.context;
  const isContinued = mcpReq.requestState() === RUNNING;
  const ended =
    (isContinued && waiting.get(session)) || (isContinued ? endOfOpenTurn(session) : begin());
  waiting.set(session, ended);
  ended.catch(() => undefined);
  if (isContinued) await answerAll(session, mcpReq.inputResponses ?? {});
  const asked = Promise.withResolvers<PermissionRequest[]>();
  const stopAsking = forEachRequest(session, (request) => {
    if (!canAsk(client)) void deny(session, request.id, CANNOT_ASK);
    else if (client.era === "modern") asked.resolve([...session.pendingPermissions()]);
    else void elicit(session, client, request);
  });
  const stopTelling = tellProgress(session, client.context);
  const onAbort = (): void => session.abort();
  mcpReq.signal.addEventListener("abort", onAbort, { once: true });
  try {
    const outcome = await Promise.race([ended, asked.promise]);
    if (Array.isArray(outcome)) return inputFor(outcome, client);
    if (waiting.get(session) === ended) waiting.delete(session);
    return answerOf(outcome);
  } finally {
    stopAsking();
    stopTelling();
    mcpReq.signal.removeEventListener("abort", onAbort);
  }
}

/** Calls `take` with requests that wait, and with those that come. */
function forEachRequest(
  session: InteractiveSession,
  take: (request: PermissionRequest) => void,
): () => void {
  const stop = session.on("permission_request", take);
  session.pendingPermissions().forEach(take);
  return stop;
}

function canAsk({ sdk, server, era, context }: Client): boolean {
  const envelope: Record<string, unknown> = { ...context.mcpReq.envelope };
  const capabilities =
    era === "modern"
      ? envelope[sdk.CLIENT_CAPABILITIES_META_KEY]
      : server.server.getClientCapabilities();
  return fieldsOf(capabilities)["elicitation"] !== undefined;
}

function question({
  tool,
  args,
  reason,
  command,
  preview,
  suggestedPattern,
}: PermissionRequest): ElicitRequestFormParams {
  const details = [
    reason,
    command === undefined ? JSON.stringify(args, undefined, 1) : command,
    preview === undefined ? "" : JSON.stringify(preview, undefined, 1),
    suggestedPattern === undefined ? "" : `For the session, it would allow ${suggestedPattern}.`,
  ];
  return {
    mode: "form",
    message: [`The agent wants to use ${tool}.`, ...details]
      .filter((text) => text !== "")
      .join("\n"),
    requestedSchema: {
      type: "object",
      properties: {
        decision: { type: "string", title: "Decision", enum: ["allow", "deny"] },
        scope: {
          type: "string",
          title: "For how long",
          enum: ["once", "turn", "session"],
          default: "once",
        },
        reason: { type: "string", title: "Reason, which the agent reads" },
      },
      required: ["decision"],
    },
  };
}

function inputFor(requests: readonly PermissionRequest[], { sdk }: Client): InputRequiredResult {
  const inputRequests = Object.fromEntries(
    requests.map((request) => [request.id, sdk.inputRequired.elicit(question(request))]),
  );
  return sdk.inputRequired({ inputRequests, requestState: RUNNING });
}

/** Asks a client of an older version, which is waited for. */
async function elicit(
  session: InteractiveSession,
  { context }: Client,
  request: PermissionRequest,
): Promise<void> {
  try {
    const given = await context.mcpReq.elicitInput(question(request), {
      signal: context.mcpReq.signal,
    });
    await answer(session, request.id, given);
  } catch {
    await deny(session, request.id, "The client's user was not reached.");
  }
}

async function answerAll(
  session: InteractiveSession,
  responses: Record<string, unknown>,
): Promise<void> {
  for (const { id } of session.pendingPermissions()) {
    const response = Object.hasOwn(responses, id) ? responses[id] : undefined;
    if (response !== undefined) await answer(session, id, response);
  }
}

/** Only an explicit yes of the client's user allows. */
async function answer(session: InteractiveSession, id: string, given: unknown): Promise<void> {
  const { action, content } = fieldsOf(given);
  const { decision, scope, reason } = fieldsOf(content);
  const why = typeof reason === "string" && reason !== "" ? { reason } : {};
  if (action !== "accept" || decision !== "allow")
    return deny(session, id, why.reason ?? "The client's user did not allow it.");
  const wide = scope === "turn" || scope === "session" ? scope : "once";
  await session.resolvePermission(id, { allow: true, scope: wide, ...why }).catch(() => undefined);
}

async function deny(session: InteractiveSession, id: string, reason: string): Promise<void> {
  // Answered elsewhere meanwhile, or the turn has ended.
  await session.resolvePermission(id, { allow: false, reason }).catch(() => undefined);
}

/** Sends a step with every tool call, where the client asked for progress. */
function tellProgress(session: InteractiveSession, { mcpReq }: ServerContext): () => void {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => undefined;
  let progress = 0;
  return session.on("event", (event) => {
    const message = stepOf(event);
    if (message === undefined) return;
    progress += 1;
    const params = { progressToken, progress, message };
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
  });
}

function stepOf(event: SessionEvent): string | undefined {
  if (event.type === "turn_start") return "Began";
  if (event.type === "tool_start") return `${event.tool} ${event.firstArg}`.trim();
  if (event.type === "permission_request") return `${event.request.tool} needs permission`;
  if (event.type === "compaction") return "Summarised earlier messages";
  return undefined;
}

/** The end of a turn that this process no longer waits for, such as after it was started again. */
function endOfOpenTurn(session: InteractiveSession): Promise<ExecutionResult> {
  const ended = Promise.withResolvers<ExecutionResult>();
  const stops = [
    session.on("complete", ended.resolve),
    session.on("interrupted", ended.resolve),
    session.on("error", ended.reject),
  ];
  if (!session.isExecuting())
    ended.reject(new Error("No turn runs any more: call the tool again."));
  return ended.promise.finally(() => stops.forEach((stop) => stop()));
}

function answerOf({ response, state, error }: ExecutionResult): CallToolResult {
  const text = [response, error?.message, error?.hint].filter((part) => part).join("\n");
  const shown = text === "" ? `The turn ended: ${state}.` : text;
  return {
    content: [{ type: "text", text: shown }],
    isError: state === "complete" ? undefined : true,
  };
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
