import { work } from "./agent.ts";

declare global {
  /** For whoever drives the page. */
  var benchWork: typeof work;
}

globalThis.benchWork = work;
