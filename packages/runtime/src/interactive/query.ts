import { defined } from "../defined.ts";
import type { PermissionMode } from "../permissions/permission.ts";
import type { Platform } from "../ports/platform.ts";
import type { Provider } from "../providers/provider.ts";
import type { PermissionHandler } from "../session/approvals/approvals.ts";
import type { Tool } from "../tools/tool.ts";
import { InteractiveSession } from "./interactive-session.ts";
import { abortError, RobotaError } from "../errors.ts";
import type { InteractiveSessionOptions } from "./options.ts";
import type { QueryFormat } from "./structured-answers.ts";
import type { SettingsOptions } from "./settings/settings.ts";

export interface QueryOptions
  extends SettingsOptions, Pick<InteractiveSessionOptions, "hooks" | "hookHost"> {
  /** The platform's own when omitted: the process's in Node, `/workspace` in a tab and in a worker. */
  cwd?: string | undefined;
  /** `default` by default. A call that needs approval is denied without a handler. */
  permissionMode?: PermissionMode | undefined;
  permissionHandler?: PermissionHandler | undefined;
  /** Maximum number of provider calls. */
  maxTurns?: number | undefined;
  onTextDelta?(delta: string): void;
  /** Called with the summary that replaced the conversation so far. */
  onCompact?(summary: string): void;
  signal?: AbortSignal | undefined;
}

export interface QueryFactoryOptions extends QueryOptions {
  provider: Provider;
  platform: Platform;
  tools?: readonly Tool[] | undefined;
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
 * the file list")`. Each call is a session of its own, so overlapping calls are independent. With a `responseFormat` it
 * resolves to the value: `const { files } = await query(prompt, { responseFormat: z.object({ files: z.array(z.string()) }) })`.
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
    Pick<InteractiveSessionOptions, "responseFormat">;
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
