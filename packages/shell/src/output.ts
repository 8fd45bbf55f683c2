import { encodeText, type ShellOutput } from "@robota/runtime/ports";
import { utf8Prefix } from "./bytes.ts";

/** What a command printed, in the order it came, up to a limit. */
export interface OutputLog {
  write(stream: ShellOutput["stream"], text: string): void;
  /** Both streams. Drops whatever is written from now on; throws what the listener threw. */
  end(): { stdout: string; stderr: string; truncated: boolean };
}

/**
 * Keeps the first `limit` bytes (of UTF-8, both streams together) and hands what it keeps to `listener` at once. A
 * listener that throws is not called again.
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
        // Not the script's business: it would fail the statement that happened to print.
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
