import type { ErrorFacts } from "../../errors.ts";
import type { PermissionRequest } from "../../session/log/events.ts";

/** Success, failure, wrong usage, approval required, interrupted: exit codes of a process. */
export const EXIT_CODES = {
  complete: 0,
  failed: 1,
  usage: 2,
  refused: 3,
  interrupted: 130,
} as const;

/** `text`: the answer; `json`: the result with all about it; `stream-json`: every event and the result, a line each. */
export type OutputFormat = "text" | "json" | "stream-json";

export interface HeadlessOptions {
  /**
   * A prompt or a command such as `/cost`; or the lines of a program that writes prompts and answers to requests for
   * permission as JSON (`InputLine`).
   */
  input: string | AsyncIterable<string>;
  /** `text` when omitted. */
  format?: OutputFormat | undefined;
  /** Takes what is for standard output. */
  write: (text: string) => void;
  /**
   * Reads the value of an answer, such as one in the form of a schema: printed instead of the text, or as `output` of the
   * result. The turn counts as failed when it rejects.
   */
  outputOf?: ((response: string) => Promise<unknown>) | undefined;
  /** Makes an answer safe for where it is shown, such as a terminal. */
  sanitise?: ((text: string) => string) | undefined;
  /** True when a handler of the session answers requests for permission. Otherwise the first one ends the turn. */
  isAttended?: boolean | undefined;
  /** Reports whether a request that waited before this run is allowed by now. */
  isAllowed?: ((request: PermissionRequest) => boolean) | undefined;
  /** Called with a request that nobody answers. */
  onRefusal?: ((request: PermissionRequest) => void) | undefined;
  /** Called with the failure of a turn. */
  onFailure?: ((error: ErrorFacts) => void) | undefined;
}
