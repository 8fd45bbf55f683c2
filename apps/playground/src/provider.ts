import { OfflineProvider } from "@robota/runtime/providers/offline";
import { withRequestRecord } from "./state/request-record.ts";

/** Fast enough not to bore, slow enough to be seen. In milliseconds. */
const WORD_DELAY_MS = 16;

export const answering = withRequestRecord(new OfflineProvider({ wordDelayMs: WORD_DELAY_MS }));
