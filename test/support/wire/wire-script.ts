/** Replies of the wire server, one entry per request; the last one is repeated. JSON, so that any host can send it. */
export interface WireScript {
  /** Distinguishes otherwise equal scripts, so that each test counts its own requests. */
  id: string;
  replies: WireReply[];
  /** False for a server that rejects other origins. */
  cors?: boolean;
  /** Answer to the question which models there are: `status` and `body`. One model, `wire-model`, unless given. */
  models?: WireReply;
}

export interface WireReply {
  /** An error status, with `headers` and `body`. */
  status?: number;
  headers?: Record<string, string>;
  /** Sent unchanged if it is text, else as JSON. */
  body?: unknown;
  /** An answer in the events of the requested wire. */
  answer?: WireAnswer;
  /** Raw events, in place of `answer`. */
  events?: string[];
  /** Bytes per write; everything at once by default. */
  chunk?: number;
  lineEnd?: "\r\n" | "\r";
  /** A fault after this many deltas of text, or of arguments; -1 is before the first event. */
  fault?: {
    after: number;
    of?: "text" | "arguments";
    kind: "cut" | "end" | "stall" | "overloaded";
  };
  /** Comment lines or pings before the first text delta, `everyMs` apart. */
  pings?: { count: number; everyMs: number };
  /** True for the whole answer as one JSON body, as from servers that can't stream. */
  whole?: boolean;
  /** Closes the connection without an answer. */
  drop?: boolean;
}

export interface WireAnswer {
  thinking?: string[];
  text?: string[];
  /** Tool calls; `args` are chunks of JSON text. */
  calls?: { id: string; name: string; args: string[] }[];
  stop?: "end" | "tools" | "length" | "refusal";
  usage?: {
    input: number;
    cacheRead: number;
    cacheWrite: number;
    output: number;
    reasoning: number;
  };
}

/** A request as received by the server. */
export interface WireRequest {
  path: string;
  headers: Record<string, string>;
  body: unknown;
}

/** The base address for this script. */
export function scriptAddress(origin: string, script: WireScript): string {
  return `${origin}/w/${toBase64Url(JSON.stringify(script))}`;
}

/** The requests that the server received for this script so far. */
export async function requestsOf(origin: string, script: WireScript): Promise<WireRequest[]> {
  const response = await fetch(`${origin}/log/${toBase64Url(JSON.stringify(script))}`);
  return (await response.json()) as WireRequest[];
}

function toBase64Url(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
