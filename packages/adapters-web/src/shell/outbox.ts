/** Messages of one turn of the microtask queue in one post: parallel calls cross the thread boundary together. */
export function createOutbox<Message>(
  port: MessagePort,
): (message: Message, transfer?: readonly Transferable[]) => void {
  let batch: Message[] = [];
  let transfers: Transferable[] = [];
  return (message, transfer = []) => {
    batch.push(message);
    transfers.push(...transfer);
    if (batch.length > 1) return;
    queueMicrotask(() => {
      const [messages, owned] = [batch, transfers];
      [batch, transfers] = [[], []];
      port.postMessage(messages, owned);
    });
  };
}
