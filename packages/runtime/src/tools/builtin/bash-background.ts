import { errorMessage } from "../../errors.ts";
import type { ToolErrorCode } from "../../messages/tool-error-code.ts";
import type { ShellOptions } from "../../ports/shell.ts";
import { sessionState } from "../session-state.ts";
import { openOutputFile } from "../text-limit.ts";
import type { ToolContext, ToolResult } from "../tool.ts";

/** Maximum number of concurrent commands; each holds its output's tail in memory. */
const MAX_RUNNING = 16;
const MAX_KEPT = 64;
const BATCH_MS = 100;

/** Set in a session's state once a command in the background has used the network. */
const BACKGROUND_USED_NETWORK = "backgroundUsedNetwork";

interface Job {
  id: string;
  command: string;
  file: string;
  stop: AbortController;
  /** Missing while it runs. */
  outcome?: string;
  ended: Promise<void>;
}

/** The background commands of a session, which end with it. */
class Jobs implements AsyncDisposable {
  readonly byId = new Map<string, Job>();
  last = 0;

  async [Symbol.asyncDispose](): Promise<void> {
    const jobs = [...this.byId.values()];
    for (const { stop } of jobs) stop.abort();
    await Promise.all(jobs.map(({ ended }) => ended));
  }
}

/**
 * Starts a command in the background. Its output goes to a file as it arrives, and its exit status to the last line.
 */
export async function startInBackground(
  command: string,
  options: Omit<ShellOptions, "signal" | "onOutput">,
  context: ToolContext,
): Promise<ToolResult> {
  const jobs = jobsOf(context.state);
  const running = [...jobs.byId.values()].filter(({ outcome }) => outcome === undefined);
  if (running.length >= MAX_RUNNING) {
    const ids = running.map(({ id }) => id).join(", ");
    return failed(`${MAX_RUNNING} commands already run in the background: ${ids}. End one first.`);
  }
  const id = `job-${++jobs.last}`;
  const file = await openOutputFile(context, id);
  const stop = new AbortController();
  // Stopping the turn stops its background commands.
  const onAbort = (): void => stop.abort();
  if (context.signal.aborted) onAbort();
  else context.signal.addEventListener("abort", onAbort);

  const output = createFileOutput(context, file);
  const run = async (): Promise<string> => {
    try {
      const result = await context.platform.shell.exec(command, {
        ...options,
        signal: stop.signal,
        onOutput: ({ text }) => output.write(text),
      });
      if (result.usedNetwork) context.state.set(BACKGROUND_USED_NETWORK, true);
      if (result.timedOut) return `stopped after ${options.timeoutMs} ms`;
      if (stop.signal.aborted) return "stopped";
      return `exit code ${result.exitCode}${result.truncated ? ", output cut" : ""}`;
    } catch (error) {
      return `failed: ${errorMessage(error)}`;
    } finally {
      context.signal.removeEventListener("abort", onAbort);
    }
  };
  const job: Job = { id, command, file, stop, ended: Promise.resolve() };
  job.ended = run().then(async (outcome) => {
    job.outcome = outcome;
    output.write(`\n[${id}: ${outcome}]\n`);
    await output.end();
  });
  jobs.byId.set(id, job);
  for (const [old, { outcome }] of jobs.byId) {
    if (jobs.byId.size > MAX_KEPT && outcome !== undefined) jobs.byId.delete(old);
  }
  return {
    success: true,
    output: `Started in the background as ${id}. Read its output in ${file}; the last line has the exit status. The command "kill ${id}" stops it, "jobs" lists all.`,
    data: { job: id, file },
  };
}

/** Answers `jobs` and `kill job-1`, which are about background commands and no shell's business; else `undefined`. */
export async function controlJobs(
  command: string,
  { state }: Pick<ToolContext, "state">,
): Promise<ToolResult | undefined> {
  const { byId } = jobsOf(state);
  const line = command.trim();
  if (line === "jobs" && byId.size > 0) {
    const lines = Array.from(
      byId.values(),
      ({ id, outcome = "running", command: text, file }) => `${id} (${outcome}) ${file}: ${text}`,
    );
    return { success: true, output: lines.join("\n") };
  }
  const id = /^kill (?:-\w+ )?%?(job-\d+)$/.exec(line)?.[1];
  if (id === undefined) return undefined;
  const job = byId.get(id);
  if (!job) return failed(`There is no background command ${id}.`);
  const was = job.outcome;
  job.stop.abort();
  await job.ended;
  const output = was === undefined ? `${id} was stopped.` : `${id} had ended before: ${was}.`;
  return { success: true, output: `${output} Its output is in ${job.file}.` };
}

function jobsOf(state: Map<string, unknown>): Jobs {
  return sessionState({ state }, "bashJobs", () => new Jobs());
}

function failed(error: string): ToolResult {
  return { success: false, output: error, error, errorCode: "background" satisfies ToolErrorCode };
}

interface FileOutput {
  write(text: string): void;
  /** Resolves when everything is in the file, or could not be written. */
  end(): Promise<void>;
}

/** Appends output to a file, batching bursts. When the file takes no more, the rest is lost. */
function createFileOutput({ platform }: Pick<ToolContext, "platform">, file: string): FileOutput {
  let waiting = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last: Promise<void> = Promise.resolve();
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const text = waiting;
    waiting = "";
    if (text === "") return;
    last = last.then(() => platform.fs.appendFile(file, text)).catch(() => {});
  };
  return {
    write(text) {
      waiting += text;
      timer ??= setTimeout(flush, BATCH_MS);
    },
    async end() {
      flush();
      await last;
    },
  };
}
