/** Callbacks while a body is read. */
interface BodyWatch {
  /** Asked before each piece; the body ends where it says `false`. */
  mayContinue?: (() => boolean | Promise<boolean>) | undefined;
  /** Told once, whoever ends the body. */
  onEnd?: (() => void) | undefined;
}

/** The same bytes, none of them read ahead. */
function watchedBody(
  body: ReadableStream<Uint8Array>,
  { mayContinue = () => true, onEnd = () => {} }: BodyWatch,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done && (await mayContinue())) return controller.enqueue(value);
          onEnd();
          controller.close();
          if (!done) await reader.cancel();
        } catch (error) {
          onEnd();
          throw error;
        }
      },
      cancel(reason) {
        onEnd();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/** Replaces the body of an answer if it is an event stream; reports whether it was one. */
export function watchStream(answer: Response, watch: BodyWatch): Response | undefined {
  const { body, headers } = answer;
  if (!body || !headers.get("content-type")?.startsWith("text/event-stream")) return undefined;
  return new Response(watchedBody(body, watch), answer);
}
