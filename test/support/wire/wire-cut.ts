/** The header with the number of bytes before an answer is cut. */
export const CUT_AFTER = "x-wire-cut-after";

/**
 * A `fetch` for cut answers: once its caller has read all sent bytes, it asks the wire server to break the connection.
 * A host may drop bytes that were received but not yet read, so the server can't choose the moment itself.
 */
export const fetchUntilCut: typeof globalThis.fetch = async (input, init) => {
  const request = new Request(input, init);
  const { origin, pathname } = new URL(request.url);
  const response = await fetch(request);
  const { body, headers, status } = response;
  const total = Number(headers.get(CUT_AFTER) ?? 0);
  if (!body || total === 0) return response;
  const cut = `${origin}/cut/${pathname.split("/")[2]}`;
  return new Response(
    reportingEnd(body, total, () => void fetch(cut)),
    { headers, status },
  );
};

/** The same bytes; `onRead` is called when the reader asks for more than `total` of them. */
function reportingEnd(
  body: ReadableStream<Uint8Array>,
  total: number,
  onRead: () => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let read = 0;
  return new ReadableStream(
    {
      async pull(controller) {
        if (read >= total) onRead();
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
        read += value?.length ?? 0;
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
