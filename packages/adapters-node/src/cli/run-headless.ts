import type { ExecutionResult, PermissionRequest } from "@robota/runtime";
import type { ClientSession } from "@robota/runtime/sessions";
import { headlessTransport, type OutputFormat } from "@robota/runtime/transports";
import { onInterrupt } from "./interrupts.ts";
import { printable } from "./printable.ts";
import type { Progress } from "./progress.ts";

export interface HeadlessRunOptions {
  /** A prompt, or lines of JSON. */
  input: string | AsyncIterable<string>;
  format: OutputFormat;
  /** Reads the value of an answer. */
  outputOf?: ((response: string) => Promise<unknown>) | undefined;
  progress: Progress;
  /** True when a person answers requests for permission. */
  isAttended: boolean;
  /** Reports whether a request that waits since an earlier run is allowed by now. */
  isAllowed?: (request: PermissionRequest) => boolean;
  /** The answer to calls that need approval. */
  refusalHint: (rule: string) => string;
}

const INTERRUPTED = 130;

/** Runs a session without a person, as far as a process is concerned: its streams, its signals and its exit code. */
export async function runHeadless(
  session: ClientSession,
  { input, format, outputOf, progress, isAttended, isAllowed, refusalHint }: HeadlessRunOptions,
): Promise<number> {
  using interrupts = onInterrupt(() => {
    progress.line("yellow", "Stopping. Once more to exit at once.");
    session.abort();
  });
  // The reader of the output has gone: there is no reason to continue.
  process.stdout.on("error", () => session.abort());
  session.on("tool_start", (tool) => progress.toolStarted(tool));
  session.on("tool_end", (tool) => progress.toolEnded(tool));
  session.on("context_update", ({ usedTokens }) => progress.setTokens(usedTokens));
  session.on("thinking", (isThinking) => (isThinking ? progress.start() : progress.stop()));
  const transport = headlessTransport({
    input,
    format,
    outputOf,
    write: (text) => void process.stdout.write(text),
    sanitise: process.stdout.isTTY ? printable : undefined,
    isAttended,
    isAllowed,
    onRefusal({ tool, reason, suggestedPattern }) {
      progress.line("red", `robota: ${tool} needs permission. ${reason}`);
      progress.line("dim", refusalHint(quoted(suggestedPattern ?? tool)));
    },
    onFailure: (error) => explainFailure(error, progress),
  });
  transport.attach(session);
  await transport.start();
  try {
    const exitCode = await transport.exitCode;
    return exitCode === INTERRUPTED ? (interrupts.exitCode() ?? exitCode) : exitCode;
  } finally {
    progress.stop();
  }
}

function explainFailure(
  { message, hint }: NonNullable<ExecutionResult["error"]>,
  progress: Progress,
): void {
  progress.line("red", `robota: ${message}`);
  if (hint) progress.line("dim", hint);
}

/** Quotes a text as one word of a shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
