import {
  errorMessage,
  RobotaError,
  type ShellOutput,
  type ShellResult,
} from "@robota/runtime/ports";
import type { ShellState } from "../session.ts";
import type { ProgressMessage } from "./protocol.ts";

/** Interval within which output is batched. */
const BATCH_MS = 10;

export interface ProgressReporter {
  readonly output: (chunk: ShellOutput) => void;
  readonly exit: (state: ShellState) => void;
  readonly done: (result: ShellResult) => void;
  readonly failed: (error: unknown) => void;
}

/** Reports the progress of the command `id` to the host. */
export function createProgress(
  post: (message: ProgressMessage) => void,
  id: number,
): ProgressReporter {
  let state: ShellState | undefined;
  let chunks: ShellOutput[] = [];
  let sentAt = Number.NEGATIVE_INFINITY;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const send = (): void => {
    clearTimeout(timer);
    timer = undefined;
    sentAt = performance.now();
    if (chunks.length > 0) post({ type: "output", id, chunks });
    chunks = [];
  };
  return {
    output(chunk) {
      const last = chunks.at(-1);
      if (last?.stream === chunk.stream) last.text += chunk.text;
      else chunks.push({ ...chunk });
      // Checks the clock too, because a busy script delays the timer.
      if (performance.now() - sentAt >= BATCH_MS) send();
      else timer ??= setTimeout(send, BATCH_MS);
    },
    exit(left) {
      state = left;
    },
    done({ exitCode, timedOut, truncated, cwd, env }) {
      send();
      post({ type: "exit", id, exitCode, timedOut, truncated, cwd, env, state });
    },
    failed(error) {
      send();
      const message = errorMessage(error);
      post({ type: "failed", id, message, hint: error instanceof RobotaError ? error.hint : "" });
    },
  };
}
