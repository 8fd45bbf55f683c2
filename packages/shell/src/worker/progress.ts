import {
  errorMessage,
  RobotaError,
  type ShellOutput,
  type ShellResult,
} from "@robota/runtime/ports";
import type { ShellState } from "../session.ts";
import type { ProgressMessage } from "./protocol.ts";

/** Interval within which output is batched. */
const TOGETHER_MS = 10;

export interface Progress {
  readonly output: (chunk: ShellOutput) => void;
  readonly exit: (state: ShellState) => void;
  readonly done: (result: ShellResult) => void;
  readonly failed: (error: unknown) => void;
}

/** Reports the progress of the command `id` to the host. */
export function createProgress(post: (message: ProgressMessage) => void, id: number): Progress {
  let state: ShellState | undefined;
  let chunks: ShellOutput[] = [];
  let toldAt = Number.NEGATIVE_INFINITY;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tell = (): void => {
    clearTimeout(timer);
    timer = undefined;
    toldAt = performance.now();
    if (chunks.length > 0) post({ type: "output", id, chunks });
    chunks = [];
  };
  return {
    output(chunk) {
      const last = chunks.at(-1);
      if (last?.stream === chunk.stream) last.text += chunk.text;
      else chunks.push({ ...chunk });
      // Checks the clock too, because a busy script delays the timer.
      if (performance.now() - toldAt >= TOGETHER_MS) tell();
      else timer ??= setTimeout(tell, TOGETHER_MS);
    },
    exit(left) {
      state = left;
    },
    done({ exitCode, timedOut, truncated, cwd, env }) {
      tell();
      const ended = { ...(cwd === undefined ? {} : { cwd }), ...(env ? { env } : {}) };
      post({ type: "exit", id, exitCode, timedOut, truncated, ...ended, state });
    },
    failed(error) {
      tell();
      const message = errorMessage(error);
      post({ type: "failed", id, message, hint: error instanceof RobotaError ? error.hint : "" });
    },
  };
}
