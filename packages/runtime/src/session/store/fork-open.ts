import { ConfigurationError } from "../../errors.ts";
import type { TransferParts } from "../transfer/open-session.ts";
import { forkStored } from "./fork.ts";

/** Stores a fork of an open session, and resolves to its id. Throws as `Session.fork`. */
export async function forkOpen(
  { hasStorage, hostPlatform, log, files, sessionId: from, clock }: TransferParts,
  at: string | number | undefined,
): Promise<string> {
  if (!hasStorage) {
    throw new ConfigurationError("A session without storage can't be forked", {
      hint: "Pass a platform with storage.",
    });
  }
  await log.flush();
  const to = clock.randomUUID();
  await forkStored(hostPlatform.storage, { from, to, at, fs: files && hostPlatform.fs });
  return to;
}
