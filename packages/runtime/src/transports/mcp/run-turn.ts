import type {
  CallToolResult,
  ElicitRequestFormParams,
  InputRequiredResult,
  McpServer,
  ServerContext,
} from "@modelcontextprotocol/server";
import type { InteractiveSession } from "../../interactive/interactive-session.ts";
import type { SubmitOptions } from "../../interactive/submit-options.ts";
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

const CANNOT_ASK = "The client of this session has no way to ask its user.";

/** A turn that a call began. Several calls may wait for theirs: a session runs one after the other. */
interface CalledTurn {
  ended: Promise<ExecutionResult>;
  /** Until it has begun, the session's requests for permission are those of another turn. */
  hasBegun: boolean;
  stop(): void;
}

/** The turns of sessions by the content of an unfinished answer, which comes back with the client's. */
const called = new WeakMap<InteractiveSession, Map<string, CalledTurn>>();
/** Maximum number of turns per session whose clients did not come back for the end. */
const MAX_CALLED = 100;

/**
 * Runs a turn as a call of a tool. Its requests for permission go to the client's user; an answer of a client that is called
 * off, or can't ask, denies. When the call is called off, the turn is stopped.
 */
export async function runTurn(
  session: InteractiveSession,
  client: Client,
  begin: (options: SubmitOptions) => Promise<ExecutionResult>,
): Promise<Answer> {
  const { mcpReq } = client.context;
  const turns = called.get(session) ?? new Map<string, CalledTurn>();
  called.set(session, turns);
  const given = mcpReq.requestState();
  const state = typeof given === "string" ? given : crypto.randomUUID();
  const turn =
    turns.get(state) ??
    (given === undefined ? beginTurn(session, state, begin) : openTurn(session));
  turns.set(state, turn);
  for (const oldest of turns.keys()) if (turns.size > MAX_CALLED) turns.delete(oldest);
  if (given !== undefined) await answerAll(session, mcpReq.inputResponses ?? {});
  const asked = Promise.withResolvers<PermissionRequest[]>();
  const take = (request: PermissionRequest): void => {
    if (!turn.hasBegun) return;
    if (!canAsk(client)) void deny(session, request.id, CANNOT_ASK);
    else if (client.era === "modern") asked.resolve([...session.pendingPermissions()]);
    else void elicit(session, client, request);
  };
  const stopAsking = forEachRequest(session, take);
  const stopTelling = tellProgress(session, client.context, turn);
  const onAbort = (): void => turn.stop();
  mcpReq.signal.addEventListener("abort", onAbort, { once: true });
  if (mcpReq.signal.aborted) onAbort();
  try {
    const outcome = await Promise.race([turn.ended, asked.promise]);
    if (Array.isArray(outcome)) return inputFor(outcome, client, state);
    turns.delete(state);
    return answerOf(outcome);
  } finally {
    stopAsking();
    stopTelling();
    mcpReq.signal.removeEventListener("abort", onAbort);
  }
}

function beginTurn(
  session: InteractiveSession,
  key: string,
  begin: (options: SubmitOptions) => Promise<ExecutionResult>,
): CalledTurn {
  const stopping = new AbortController();
  const stopListening = session.on("event", (event) => {
    if (event.type === "turn_start" && event.request?.key === key) turn.hasBegun = true;
  });
  const request = { key, content: "" };
  const ended = begin({ signal: stopping.signal, request }).finally(stopListening);
  ended.catch(() => undefined);
  const turn: CalledTurn = { ended, hasBegun: false, stop: () => stopping.abort() };
  return turn;
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

function inputFor(
  requests: readonly PermissionRequest[],
  { sdk }: Client,
  requestState: string,
): InputRequiredResult {
  const inputRequests = Object.fromEntries(
    requests.map((request) => [request.id, sdk.inputRequired.elicit(question(request))]),
  );
  return sdk.inputRequired({ inputRequests, requestState });
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
function tellProgress(
  session: InteractiveSession,
  { mcpReq }: ServerContext,
  turn: CalledTurn,
): () => void {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => undefined;
  let progress = 0;
  return session.on("event", (event) => {
    const message = turn.hasBegun ? stepOf(event) : undefined;
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

/** The turn that runs, when this process no longer knows the call, such as after it was started again. */
function openTurn(session: InteractiveSession): CalledTurn {
  const ended = Promise.withResolvers<ExecutionResult>();
  const stops = [
    session.on("complete", ended.resolve),
    session.on("interrupted", ended.resolve),
    session.on("error", ended.reject),
  ];
  if (!session.isExecuting())
    ended.reject(new Error("No turn runs any more: call the tool again."));
  const whole = ended.promise.finally(() => stops.forEach((stop) => stop()));
  whole.catch(() => undefined);
  return { ended: whole, hasBegun: true, stop: () => session.abort() };
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
