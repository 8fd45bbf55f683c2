import type { HttpTransport } from "@robota/runtime/transports";

export interface FaultyFetch {
  fetch: typeof globalThis.fetch;
  /** Paths of the requests that the server got, with their methods. */
  requests: string[];
  /** Number of the event streams that were opened. */
  streams: () => number;
  /** Cuts all event streams that are open. */
  cut: () => void;
  /** From now on, nothing arrives on the event streams that are open. */
  stall: () => void;
  /** Until it is called again with `true`, no request gets through. */
  setOnline: (isOnline: boolean) => void;
  /** The server does what the next request to a path that ends like this asks, and its answer is lost. */
  loseAnswer: (path: string) => void;
  /** From now on, cuts every event stream behind so many bytes. */
  cutEvery: (bytes: number) => void;
}

/** A `fetch` to a transport in this process, over a network that fails when it is told to. */
export function faultyFetch(transport: Pick<HttpTransport, "fetch">): FaultyFetch {
  const open = new Set<() => void>();
  const stalls = new Set<() => void>();
  const lost: string[] = [];
  const requests: string[] = [];
  let [streams, limit, isOnline] = [0, Infinity, true];

  const failing = (body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> => {
    const reader = body.getReader();
    let sent = 0;
    let isStalled = false;
    stalls.add(() => (isStalled = true));
    return new ReadableStream<Uint8Array>({
      start(controller) {
        const cut = (): void => {
          open.delete(cut);
          controller.error(new TypeError("network error"));
          reader.cancel().catch(() => undefined);
        };
        open.add(cut);
      },
      async pull(controller) {
        const { done, value } = await reader.read();
        if (isStalled) return new Promise<void>(() => {});
        if (done) return controller.close();
        const left = Math.max(0, limit - sent);
        sent += value.length;
        if (left > 0) controller.enqueue(value.subarray(0, left));
        if (value.length >= left) {
          controller.error(new TypeError("network error"));
          await reader.cancel();
        }
      },
      cancel: () => reader.cancel(),
    });
  };
  const fetch = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    if (!isOnline) throw new TypeError("Failed to fetch");
    const request = new Request(input, init);
    const { pathname } = new URL(request.url);
    requests.push(`${request.method} ${pathname}`);
    const response = await transport.fetch(request);
    const at = lost.findIndex((path) => pathname.endsWith(path));
    if (at >= 0) {
      lost.splice(at, 1);
      await response.body?.cancel();
      throw new TypeError("Failed to fetch");
    }
    if (!pathname.endsWith("/events") || !response.body) return response;
    streams += 1;
    return new Response(failing(response.body), response);
  };
  return {
    fetch,
    requests,
    streams: () => streams,
    cut: () => open.forEach((cut) => cut()),
    stall: () => stalls.forEach((stall) => stall()),
    setOnline: (next) => (isOnline = next),
    loseAnswer: (path) => lost.push(path),
    cutEvery: (bytes) => (limit = bytes),
  };
}
