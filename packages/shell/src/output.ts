import { encodeText, type ShellOutput } from "@robota/runtime/ports";
import { utf8Prefix } from "./bytes.ts";

/** The output of a command, in order, up to a limit. */
export interface OutputLog {
  write(stream: ShellOutput["stream"], text: string): void;
  /** Returns both streams. Drops everything written from now on; throws the error of the listener. */
  end(): { stdout: string; stderr: string; truncated: boolean };
}

/**
 * Keeps the first `limit` bytes (of UTF-8, both streams together) and passes them to `listener` at once. A listener
 * that throws is not called again.
 */
export function createOutputLog(limit: number, listener?: (chunk: ShellOutput) => void): OutputLog {
  const kept = { stdout: [] as string[], stderr: [] as string[] };
  let left = limit;
  let truncated = false;
  let hasEnded = false;
  let failure: { error: unknown } | undefined;
  return {
    write(stream, text) {
      if (text === "" || truncated || hasEnded) return;
      const bytes = encodeText(text).length;
      truncated = bytes > left;
      const chunk = truncated ? utf8Prefix(text, left) : text;
      left -= bytes;
      if (chunk === "") return;
      kept[stream].push(chunk);
      if (failure) return;
      try {
        listener?.({ stream, text: chunk });
      } catch (error) {
        // Deferred, since throwing here would fail the statement that happened to print.
        failure = { error };
      }
    },
    end() {
      hasEnded = true;
      if (failure) throw failure.error;
      return { stdout: kept.stdout.join(""), stderr: kept.stderr.join(""), truncated };
    },
  };
}
