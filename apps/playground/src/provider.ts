import { OfflineProvider } from "@robota/runtime/providers/offline";
import { withRequestRecord } from "./state/request-record.ts";

/** Fast enough not to bore, slow enough to be seen. In milliseconds. */
const WORD_DELAY_MS = 16;

/** No delay for a person who wants less motion. In milliseconds. */
const wordDelayMs = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : WORD_DELAY_MS;

export const answering = withRequestRecord(new OfflineProvider({ wordDelayMs }));
