import { Readable, Writable } from "node:stream";
import type { Platform } from "@robota/runtime";
import { mcpTransport } from "@robota/runtime/transports";
import { onInterrupt } from "./interrupts.ts";
import { openLocalSession, type LocalChoices } from "./local-session.ts";
import { Progress } from "./progress.ts";

/** Serves a session to an MCP client on standard input and output until the client leaves; resolves to the exit code. */
export async function runMcp(choice: LocalChoices, platform: Platform): Promise<number> {
  // Standard output is the protocol's.
  const progress = new Progress(process.stderr, platform.env("TERM"));
  const { session: local } = await openLocalSession(choice, platform, {
    note: (text) => progress.line("dim", text),
  });
  await using session = local;
  const files = { fs: platform.fs, root: choice.cwd };
  const transport = mcpTransport({ commandScopes: ["read", "write"], files });
  session.attachTransport(transport);
  await transport.start();
  const stream = {
    readable: Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
    writable: Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
  };
  const connection = await transport.serve(stream, {
    onError: ({ message }) => progress.line("yellow", `robota: ${message}`),
  });
  using interrupts = onInterrupt(() => void connection.close());
  await connection.closed;
  return interrupts.exitCode() ?? 0;
}
