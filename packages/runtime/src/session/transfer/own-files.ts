import type { Storage } from "../../ports/storage.ts";
import { decodeRecord } from "../log/codec.ts";
import { sessionKey } from "../store/storage-keys.ts";

/** True for a session that began as a fork with its own copy of the files. */
export async function hasOwnFiles(storage: Storage, sessionId: string): Promise<boolean> {
  for await (const { value } of storage.read(sessionKey(sessionId))) {
    const [first] = decodeRecord(value, sessionId);
    return first?.type === "session_init" && first.files === "overlay";
  }
  return false;
}
