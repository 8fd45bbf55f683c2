export { type RecordedEntry, ReplayProvider } from "./replay-provider.ts";
