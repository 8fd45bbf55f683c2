import { OfflineProvider } from "@robota/runtime/providers/offline";
import { withRequestRecord } from "./state/request-record.ts";

/** Fast enough not to bore, slow enough to be seen. In milliseconds. */
const WORD_DELAY_MS = 16;

/** Who wants less motion gets an answer as fast as it comes. */
const wordDelayMs = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : WORD_DELAY_MS;

export const answering = withRequestRecord(new OfflineProvider({ wordDelayMs }));
