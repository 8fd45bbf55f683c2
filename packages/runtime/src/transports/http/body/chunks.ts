import { HttpProblem } from "../problem.ts";

/**
 * The pieces of a body as they arrive. Leaving the loop cancels the rest.
 * @throws {HttpProblem} 408 when nothing arrives for `idleMs` milliseconds
 */
export async function* bodyChunks(
  body: ReadableStream<Uint8Array> | null,
  idleMs: number,
): AsyncGenerator<Uint8Array, void> {
  if (!body) return;
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await unlessIdle(reader.read(), idleMs);
      if (done) return;
      yield value;
    }
  } finally {
    // Not awaited: a source that sends nothing may not answer this either.
    reader.cancel().catch(() => undefined);
  }
}

async function unlessIdle<Value>(read: Promise<Value>, idleMs: number): Promise<Value> {
  const idle = Promise.withResolvers<never>();
  const timer = setTimeout(() => idle.reject(bodyTimeout(idleMs)), idleMs);
  try {
    return await Promise.race([read, idle.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function bodyTimeout(idleMs: number): HttpProblem {
  return new HttpProblem(
    408,
    "BODY_TIMEOUT",
    `Nothing of the body has arrived for ${idleMs / 1000} s.`,
    { hint: "Send the request again, and its whole body without a pause." },
  );
}
