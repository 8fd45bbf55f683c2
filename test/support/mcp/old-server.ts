// A process that knows only the older protocol, and ends at the first message that is not `initialize`, as some servers do.
import { createInterface } from "node:readline";

let isInitialized = false;
for await (const line of createInterface(process.stdin)) {
  const { id, method } = JSON.parse(line) as { id?: number; method: string };
  if (!isInitialized && method !== "initialize") process.exit(1);
  isInitialized = true;
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name: "old", version: "1" },
    },
    "tools/list": { tools: [{ name: "age", inputSchema: { type: "object" } }] },
    "tools/call": { content: [{ type: "text", text: "old" }] },
  };
  const result = results[method];
  if (id !== undefined && result) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
}
