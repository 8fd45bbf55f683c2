/**
 * Collects the messages of one microtask turn in one post: parallel calls are sent between host and worker together.
 */
export function createOutbox<Message>(
  post: (messages: Message[], transfer: readonly ArrayBuffer[]) => void,
): (message: Message, transfer?: readonly ArrayBuffer[]) => void {
  let batch: Message[] = [];
  let transfers: ArrayBuffer[] = [];
  return (message, transfer = []) => {
    batch.push(message);
    transfers.push(...transfer);
    if (batch.length > 1) return;
    queueMicrotask(() => {
      const [messages, owned] = [batch, transfers];
      [batch, transfers] = [[], []];
      post(messages, owned);
    });
  };
}
