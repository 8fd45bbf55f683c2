import type { Adapter } from "../adapter.ts";
import { aiSdk } from "./ai-sdk.ts";
import { pi } from "./pi.ts";
import { raw } from "./raw.ts";
import { robota, sessionInMemory } from "./robota.ts";
import { sdk } from "./sdk.ts";
import { sessionOnDisk } from "./session-on-disk.ts";

export const ADAPTERS = {
  raw,
  sdk,
  robota,
  "session-memory": sessionInMemory,
  "session-disk": sessionOnDisk,
  pi,
  "ai-sdk": aiSdk,
} satisfies Record<string, Adapter>;

export type AdapterName = keyof typeof ADAPTERS;
