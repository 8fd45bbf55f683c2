import { exportSession, importSession } from "@robota/runtime";
import { WORKSPACE_ROOT } from "../constants.ts";
import type { AgentHost } from "../agent-host.ts";

/** Saves a stored session as a file that every host can import. Keys are left out. */
export async function downloadStored(host: AgentHost, id: string): Promise<void> {
  const stream = exportSession(host.platform, id) as ReadableStream<Uint8Array<ArrayBuffer>>;
  const bytes = await new Response(stream).arrayBuffer();
  const url = URL.createObjectURL(new Blob([bytes], { type: "application/x-ndjson" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${id}.session.jsonl`;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Copies the conversation of a stored session into a new one on the same files, and resolves to its id. */
export async function duplicateSession(
  host: AgentHost,
  id: string,
  title: string,
): Promise<string> {
  const stream = exportSession(host.platform, id, { files: "none" });
  const sessionId = await importSession(host.platform, stream, {
    sessionId: host.platform.randomUUID(),
    cwd: WORKSPACE_ROOT,
    files: "none",
    trusted: true,
  });
  await host.renameSession(sessionId, `${title} (copy)`);
  return sessionId;
}

/** Forks a stored session at its end: a new one with its own copy of the files. Resolves to its id. */
export async function forkAtEnd(host: AgentHost, id: string, title: string): Promise<string> {
  await using fork = await host.openSession(id, { fork: true });
  await fork.setName(`${title} (fork)`);
  return fork.sessionId;
}
