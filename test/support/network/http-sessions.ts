import { InteractiveSession } from "../../../packages/runtime/src/interactive/interactive-session.ts";
import type { InteractiveSessionOptions } from "../../../packages/runtime/src/interactive/options.ts";
import type { Platform } from "../../../packages/runtime/src/ports/platform.ts";
import type { SessionEvent } from "../../../packages/runtime/src/session/log/events.ts";
import { memoryPlatform } from "../../../packages/runtime/src/testing/memory-platform.ts";
import {
  type ScriptedReply,
  ScriptedProvider,
} from "../../../packages/runtime/src/testing/scripted-provider.ts";
import {
  httpTransport,
  type HttpTransport,
  type HttpTransportOptions,
} from "../../../packages/runtime/src/transports/http/http-transport.ts";
import { inProcessSessions } from "../../../packages/runtime/src/transports/http/in-process/in-process-sessions.ts";

export interface CallOptions {
  method?: string | undefined;
  /** Default `ann`, who created the session; `null` for nobody. */
  token?: string | null | undefined;
  /** Sent as JSON. */
  body?: unknown;
  headers?: Record<string, string> | undefined;
}

export interface HttpFixture {
  transport: HttpTransport;
  provider: ScriptedProvider;
  /** Errors that the transport reported to its operator. */
  errors: unknown[];
  call: (path: string, options?: CallOptions) => Promise<Response>;
  /** Creates a session of ann's; resolves to its id. */
  newSession: () => Promise<string>;
}

/** A transport over sessions in memory, with a provider that follows `script`, for tests. */
export function httpFixture(
  script: readonly ScriptedReply[] = [],
  options: Partial<HttpTransportOptions> & {
    sessionsPerOwner?: number;
    maxOpen?: number;
    /** What all sessions run on; one in memory when omitted. */
    platform?: Platform;
    /** Options of every session. */
    session?: Partial<InteractiveSessionOptions>;
  } = {},
): HttpFixture {
  const { sessionsPerOwner, maxOpen, session: given, ...others } = options;
  const { platform = memoryPlatform({ files: { "/project/": "" } }), ...transportOptions } = others;
  const provider = new ScriptedProvider(script);
  const errors: unknown[] = [];
  const sessions = inProcessSessions({
    storage: platform.storage,
    open: (session) =>
      new InteractiveSession({ platform, provider, cwd: "/project", ...session, ...given }),
    sessionsPerOwner,
    maxOpen,
  });
  const transport = httpTransport({
    sessions,
    tokens: { ann: "ann-secret", bob: "bob-secret" },
    onError: (error) => errors.push(error),
    ...transportOptions,
  });

  const call: HttpFixture["call"] = async (path, { method, token, body, headers } = {}) => {
    const authorization =
      token === null ? {} : { authorization: `Bearer ${token ?? "ann-secret"}` };
    return transport.fetch(
      new Request(`http://localhost${path}`, {
        method: method ?? (body === undefined ? "GET" : "POST"),
        headers: { ...authorization, ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
  };
  const newSession = async (): Promise<string> => {
    const response = await call("/v1/sessions", { method: "POST" });
    const { id } = (await response.json()) as { id: string };
    return id;
  };
  return { transport, provider, errors, call, newSession };
}

export interface ServerSentEvent {
  id?: string;
  event?: string;
  data: string;
}

/** The events of a stream as they arrive, without comments. Leaving the loop cancels the stream. */
export async function* readEvents(response: Response): AsyncGenerator<ServerSentEvent, void> {
  if (!response.body) return;
  let text = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const fields = new Map(block.split("\n").map((line) => splitField(line)));
      const data = fields.get("data");
      if (data === undefined) continue;
      const [id, event] = [fields.get("id"), fields.get("event")];
      yield {
        data,
        ...(id === undefined ? {} : { id }),
        ...(event === undefined ? {} : { event }),
      };
    }
  }
}

/** Parsed events up to the first of that type. */
export async function eventsUntil(response: Response, type: string): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  for await (const { event, data } of readEvents(response)) {
    if (event === "done") break;
    events.push(JSON.parse(data) as SessionEvent);
    if (event === type) break;
  }
  return events;
}

function splitField(line: string): [string, string] {
  const colon = line.indexOf(": ");
  return [line.slice(0, colon), line.slice(colon + 2)];
}
