import type { ClientSession } from "@robota/runtime/sessions";
import { activeSecrets } from "../../connections/active-secrets.ts";
import { formatBytes } from "../../ui/format.ts";
import { LINK_LIMIT, linkFragment } from "./share-link.ts";

/** Saves a session as a file that every host can import. Keys are left out. */
export async function downloadSession(session: ClientSession): Promise<void> {
  const bytes = await exportedBytes(session);
  const url = URL.createObjectURL(new Blob([bytes], { type: "application/x-ndjson" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${session.sessionId}.session.jsonl`;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** An address of this page that holds a session. @throws {Error} for a session that is too large for a link */
export async function sessionLink(session: ClientSession): Promise<string> {
  const fragment = await linkFragment(await exportedBytes(session));
  if (fragment.length > LINK_LIMIT)
    throw new Error(
      `This session needs ${formatBytes(fragment.length)}; a link holds ${formatBytes(LINK_LIMIT)}. Export a file instead.`,
    );
  return location.origin + location.pathname + fragment;
}

async function exportedBytes(session: ClientSession): Promise<Uint8Array<ArrayBuffer>> {
  const stream = await session.export({ secrets: await activeSecrets() });
  const body = stream as ReadableStream<Uint8Array<ArrayBuffer>>;
  return new Uint8Array(await new Response(body).arrayBuffer());
}
