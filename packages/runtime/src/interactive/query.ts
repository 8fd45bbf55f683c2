import { defined } from "../defined.ts";
import type { Platform } from "../ports/platform.ts";
import type { Provider } from "../providers/provider.ts";
import type { PermissionHandler } from "../session/approvals/approvals.ts";
import type { SessionOptions } from "../session/options.ts";
import { InteractiveSession } from "./interactive-session.ts";
import { abortError, RobotaError } from "../errors.ts";
import type { InteractiveSessionParts } from "./options.ts";
import type { QueryFormat } from "./structured-answers.ts";

/** The options of a session that make no sense for a single question. */
type ForConversations =
  | "session"
  | "sessionId"
  | "resumeSessionId"
  | "forkSession"
  | "takeOver"
  | "onInterruptedTurn"
  | "queueLimit"
  | "commandSources"
  | "responseFormat";

/**
 * The options of a question: those of its session. Each question is stored as a session of its own, which can be listed and
 * resumed, unless `keep` is `false`. The permission mode is `default` when omitted.
 */
export interface QueryOptions
  extends
    Omit<InteractiveSessionParts, ForConversations | "platform" | "provider">,
    Pick<SessionOptions, "keep"> {
  /** Answers requests for approval. Without one, a call that needs approval is denied. */
  permissionHandler?: PermissionHandler | undefined;
  onTextDelta?(delta: string): void;
  /** Ends the question, which rejects with an `AbortError`. */
  signal?: AbortSignal | undefined;
}

export interface QueryFactoryOptions extends QueryOptions {
  provider: Provider;
  platform: Platform;
}

export interface StructuredQueryOptions<Output> extends QueryOptions {
  /**
   * The form of the answer: an object schema of zod (4.2 or later) or any library with the Standard JSON Schema interface,
   * or a JSON Schema. The model may correct its answer once.
   */
  responseFormat: QueryFormat<Output>;
}

/** Answers a prompt: with text, or with the value that a response format describes. */
export interface Query {
  <Output>(prompt: string, options: StructuredQueryOptions<Output>): Promise<Output>;
  (prompt: string, options?: QueryOptions): Promise<string>;
}

/**
 * Creates a function for one-off questions: `const query = createQuery({ provider, platform }); await query("Show me
 * the file list")`. Each call is a session of its own, so overlapping calls are independent, and stored unless `keep` is
 * `false`. With a `responseFormat` it resolves to the value: `const { files } = await query(prompt, { responseFormat:
 * z.object({ files: z.array(z.string()) }) })`.
 * @throws {DOMException} `AbortError` when `signal` aborts
 * @throws {ResponseFormatError} for an answer that is not in the format after its correction either
 * @throws {RobotaError} the provider's failure
 */
export function createQuery(defaults: QueryFactoryOptions): Query {
  async function query<Output>(
    prompt: string,
    options: Partial<StructuredQueryOptions<Output>> = {},
  ): Promise<string | Output> {
    const { responseFormat, ...given } = options;
    const { signal, onTextDelta, ...rest } = { ...defaults, ...defined(given) };
    if (signal?.aborted) throw abortError();
    const call = { onTextDelta, sessionOptions: rest };
    if (responseFormat === undefined)
      return withSession(call, (session) => answerTo(session, prompt, signal));
    const { structuredAnswers } = await import("./structured-answers.ts");
    const answers = structuredAnswers(responseFormat, rest.hooks);
    const sessionOptions = { ...rest, ...answers.options };
    return withSession({ ...call, sessionOptions }, async (session) =>
      answers.outputOf(await answerTo(session, prompt, signal)),
    );
  }
  // One implementation for both forms of a call.
  return query as Query;
}

interface QueryCall {
  onTextDelta: ((delta: string) => void) | undefined;
  /** The session's options, of the factory and of the call. */
  sessionOptions: Omit<QueryFactoryOptions, "signal" | "onTextDelta"> &
    Pick<InteractiveSessionParts, "responseFormat">;
}

/** Calls `use` with a session of its own. */
async function withSession<Result>(
  { onTextDelta, sessionOptions }: QueryCall,
  use: (session: InteractiveSession) => Promise<Result>,
): Promise<Result> {
  const { permissionHandler = () => false } = sessionOptions;
  await using session = new InteractiveSession({ ...sessionOptions, permissionHandler });
  if (onTextDelta) session.on("text_delta", onTextDelta);
  return await use(session);
}

async function answerTo(
  session: InteractiveSession,
  prompt: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  let failure: Error | undefined;
  const stop = session.on("error", (error) => (failure = error));
  try {
    const { state, response } = await session.submit(prompt, { signal });
    if (state === "interrupted") throw abortError();
    if (state === "failed") throw failure ?? unexplained();
    return response;
  } finally {
    stop();
  }
}

function unexplained(): RobotaError {
  return new RobotaError("The turn failed", {
    code: "UNKNOWN_ERROR",
    category: "system",
    recoverable: false,
  });
}
