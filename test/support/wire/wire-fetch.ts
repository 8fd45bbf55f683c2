/** The fields of a request's body that tests inspect. */
export type SentBody = Record<string, unknown>;

export interface WireFetch {
  fetch: typeof globalThis.fetch;
  /** Bodies of all requests so far. */
  bodies: SentBody[];
  urls: string[];
}

/**
 * A service in the same process, for tests with too many requests for a network: text is an event stream, a list is one
 * that arrives in these chunks.
 */
export function wireFetch(
  answer: (body: SentBody, call: number) => string | Uint8Array[] | Response,
): WireFetch {
  const bodies: SentBody[] = [];
  const urls: string[] = [];
  return {
    bodies,
    urls,
    async fetch(input, init) {
      const request = new Request(input, init);
      const text = await request.text();
      const body = (text === "" ? {} : JSON.parse(text)) as SentBody;
      bodies.push(body);
      urls.push(request.url);
      const reply = answer(body, bodies.length - 1);
      if (reply instanceof Response) return reply;
      const content = typeof reply === "string" ? reply : piecewise(reply);
      return new Response(content, { headers: { "content-type": "text/event-stream" } });
    },
  };
}

/** Several events of a stream as text. */
export function events(...all: object[]): string {
  return all
    .map((data) => {
      const name = "type" in data ? `event: ${String(data.type)}\n` : "";
      return `${name}data: ${JSON.stringify(data)}\n\n`;
    })
    .join("");
}

/** A stream whose reader gets exactly these chunks. */
function piecewise(pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  const rest = pieces.values();
  return new ReadableStream({
    pull(controller) {
      const { value, done } = rest.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
}
