import { text } from "node:stream/consumers";
import {
  type ExecutionResult,
  InteractiveSession,
  listSessions,
  type PermissionRequest,
  permissionWarnings,
  type Platform,
  readSettings,
  SessionError,
} from "@robota/runtime";
import { UsageError, type OutputFormat, type PromptCommand } from "./arguments.ts";
import { onInterrupt } from "./interrupts.ts";
import { printable } from "./printable.ts";
import { Progress } from "./progress.ts";
import { chooseProvider } from "./provider.ts";
import { workspaceTrust } from "./workspace-trust.ts";

const EXIT_CODES = { complete: 0, failed: 1, refused: 3, interrupted: 130 };

/** Runs one turn, prints the answer, and resolves to the exit code. */
export async function runPrompt(command: PromptCommand, platform: Platform): Promise<number> {
  const { outputFormat, cwd, permissionMode, allow, deny, maxTurns } = command;
  const progress = new Progress(process.stderr, platform.env("TERM"));
  const trustWorkspace = workspaceTrust(command.trustWorkspace);
  const asked = { cwd, ...(trustWorkspace !== undefined && { trustWorkspace }) };
  const { values, trust, warnings } = await readSettings(platform, asked);
  for (const { layer, setting, message } of warnings)
    progress.line("dim", `${layer}: ${setting} ${message}`);
  for (const { rule, kind, message } of permissionWarnings({ allow, deny }))
    progress.line("dim", `--${kind} ${rule}: ${message}`);
  const { provider, note } = await chooseProvider(command, values.provider ?? {}, platform);
  if (note) progress.line("dim", note);
  const prompt = command.prompt === "-" ? await readPrompt() : command.prompt;
  const resumeSessionId = await findSession(command, platform);

  await using session = new InteractiveSession({
    platform,
    provider,
    cwd,
    permissions: { allow, deny },
    // The person was asked, and is not asked twice.
    ...(trustWorkspace !== undefined && { trustWorkspace: trust === "trusted" }),
    ...(permissionMode && { permissionMode }),
    ...(maxTurns !== undefined && { maxTurns }),
    ...(resumeSessionId !== undefined && { resumeSessionId }),
  });
  using interrupts = onInterrupt(() => {
    progress.line("yellow", "Stopping. Once more to exit at once.");
    session.abort();
  });
  // Whoever read the answer has gone: there is nothing to go on for.
  process.stdout.on("error", () => session.abort());

  session.on("tool_start", (tool) => progress.toolStarted(tool));
  session.on("tool_end", (tool) => progress.toolEnded(tool));
  session.on("context_update", ({ usedTokens }) => progress.setTokens(usedTokens));
  if (outputFormat === "stream-json") session.on("event", (event) => printJson(event));

  if (await hasUnansweredRequest(session, progress)) return EXIT_CODES.refused;
  // Nobody is there to ask. So the first call that needs an answer ends the turn, and says which rule was missing.
  let refused: PermissionRequest | undefined;
  session.on("permission_request", (request) => {
    refused ??= request;
    session.abort();
  });
  progress.start();
  let result: ExecutionResult;
  try {
    result = await session.submit(prompt);
  } finally {
    progress.stop();
  }
  // The last events come before the result, which is the last line.
  await session.shutdown();
  printResult(session.sessionId, result, outputFormat);
  if (refused) {
    explainRefusal(refused, progress);
    return EXIT_CODES.refused;
  }
  if (result.error) explainFailure(result.error, progress);
  const byState = EXIT_CODES[result.state];
  return result.state === "interrupted" ? (interrupts.exitCode() ?? byState) : byState;
}

async function readPrompt(): Promise<string> {
  const prompt = await text(process.stdin);
  if (prompt.trim() === "") throw new UsageError("standard input has no prompt");
  return prompt;
}

async function findSession(
  { resume, cwd }: PromptCommand,
  { storage }: Platform,
): Promise<string | undefined> {
  if (resume !== "last") return resume?.id;
  const last = (await listSessions(storage)).find((session) => session.cwd === cwd);
  if (last) return last.id;
  throw new SessionError("NOT_FOUND", `There is no session in ${cwd} to go on with`, {
    hint: "Begin one without --continue, or name one of `robota sessions list` with --resume.",
  });
}

/**
 * A turn of a stored session may be waiting for an answer. What the rules of this run allow goes on; with anything else
 * the prompt would wait for ever behind it.
 */
async function hasUnansweredRequest(
  session: InteractiveSession,
  progress: Progress,
): Promise<boolean> {
  await session.ready;
  for (const request of session.pendingPermissions()) {
    if (session.explain(request.tool, request.args).decision !== "auto") {
      explainRefusal(request, progress);
      return true;
    }
    await session.resolvePermission(request.id, { allow: true });
  }
  return false;
}

function printResult(sessionId: string, result: ExecutionResult, format: OutputFormat): void {
  if (format === "text") {
    const answer = process.stdout.isTTY ? printable(result.response) : result.response;
    if (answer !== "") process.stdout.write(answer.endsWith("\n") ? answer : `${answer}\n`);
    return;
  }
  const { turnId, state, response, toolSummaries, contextState, error } = result;
  printJson({
    type: "result",
    sessionId,
    turnId,
    state,
    response,
    toolSummaries,
    contextState,
    ...(error && { error }),
  });
}

function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

function explainRefusal(request: PermissionRequest, progress: Progress): void {
  const { tool, reason, suggestedPattern } = request;
  const rule = suggestedPattern ?? tool;
  progress.line("red", `robota: ${tool} needs permission. ${reason}`);
  progress.line(
    "dim",
    `Allow it with --allow ${quoted(rule)}, or choose another --permission-mode.`,
  );
}

function explainFailure(
  { message, hint }: NonNullable<ExecutionResult["error"]>,
  progress: Progress,
): void {
  progress.line("red", `robota: ${message}`);
  if (hint) progress.line("dim", hint);
}

/** As one word of a shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
