import {
  type ExecutionResult,
  InteractiveSession,
  type InteractiveSessionOptions,
  type PermissionRequest,
  type Provider,
  type Platform,
  ValidationError,
} from "@robota/runtime";
import { permissionWarnings } from "@robota/runtime/permissions";
import { readSettings } from "@robota/runtime/settings";
import { type OutputFormat, type PromptCommand, UsageError } from "./arguments.ts";
import { askPerson } from "./ask-person.ts";
import { type Denial, Denials } from "./denials.ts";
import { commandOf, printCommand } from "./run-command.ts";
import { findSession } from "./find-session.ts";
import { onInterrupt } from "./interrupts.ts";
import { printable } from "./printable.ts";
import { Progress } from "./progress.ts";
import { readPrompt } from "./read-input.ts";
import { chooseProvider } from "./provider.ts";
import { nodeTerminal } from "../terminal.ts";
import { workspaceTrust } from "./workspace-trust.ts";

const EXIT_CODES = { complete: 0, failed: 1, refused: 3, interrupted: 130 };

/** Runs one turn, prints the answer, and resolves to the exit code. */
export async function runPrompt(command: PromptCommand, platform: Platform): Promise<number> {
  const { outputFormat, cwd, permissionMode, allow, deny, maxTurns } = command;
  const progress = new Progress(process.stderr, platform.env("TERM"));
  const trustWorkspace = workspaceTrust(command.trustWorkspace);
  const { values, trust, warnings } = await readSettings(platform, { cwd, trustWorkspace });
  for (const { layer, setting, message } of warnings)
    progress.line("dim", `${layer}: ${setting} ${message}`);
  for (const { rule, kind, message } of permissionWarnings({ allow, deny }))
    progress.line("dim", `--${kind} ${rule}: ${message}`);
  const { provider, note } = await chooseProvider(command, values.provider ?? {}, platform);
  if (note) progress.line("dim", note);
  const prompt = await readPrompt(command.prompt, (text) => progress.line("dim", text));
  const resumeSessionId = await findSession(command, platform);

  const handler = isAttended(command)
    ? askPerson({
        terminal: nodeTerminal({ output: process.stderr }),
        aside: (question) => progress.aside(question),
        onLeave: () => session.abort(),
      })
    : undefined;
  await using session = openSession({
    platform,
    provider,
    cwd,
    permissions: { allow, deny },
    // The person was asked, and is not asked twice.
    trustWorkspace: trustWorkspace === undefined ? undefined : trust === "trusted",
    permissionHandler: handler,
    permissionMode,
    maxTurns,
    resumeSessionId,
  });
  using interrupts = onInterrupt(() => {
    progress.line("yellow", "Stopping. Once more to exit at once.");
    session.abort();
  });
  // The reader of the output has gone: there is no reason to continue.
  process.stdout.on("error", () => session.abort());

  session.on("tool_start", (tool) => progress.toolStarted(tool));
  session.on("tool_end", (tool) => progress.toolEnded(tool));
  session.on("context_update", ({ usedTokens }) => progress.setTokens(usedTokens));
  const denials = new Denials();
  session.on("event", denials.take);
  if (outputFormat === "stream-json") session.on("event", (event) => printJson(event));

  const unanswered = handler ? undefined : await answerByRules(session);
  if (unanswered) {
    denials.add(unanswered);
    if (outputFormat !== "text") printRefusal(session.sessionId, denials.list());
    explainRefusal(unanswered, progress);
    return EXIT_CODES.refused;
  }
  if (resumeSessionId !== undefined) await switchTo(session, provider, command);
  const slash = await commandOf(session, prompt);
  if (slash?.result) {
    await session.shutdown();
    printCommand(session.sessionId, slash.result, outputFormat);
    return slash.result.success ? EXIT_CODES.complete : EXIT_CODES.failed;
  }
  let refused: PermissionRequest | undefined;
  // With nobody to ask, the first call that needs approval ends the turn, and names the missing rule.
  if (!handler) {
    session.on("permission_request", (request) => {
      refused ??= request;
      session.abort();
    });
  }
  progress.start();
  let result: ExecutionResult;
  try {
    result = await (slash ? session.submitPrompt(slash.prompt) : session.submit(prompt));
  } finally {
    progress.stop();
  }
  // The last events come before the result, which is the last line.
  await session.shutdown();
  printResult(session.sessionId, result, denials.list(), outputFormat);
  if (refused) {
    explainRefusal(refused, progress);
    return EXIT_CODES.refused;
  }
  if (result.error) explainFailure(result.error, progress);
  const byState = EXIT_CODES[result.state];
  return result.state === "interrupted" ? (interrupts.exitCode() ?? byState) : byState;
}

/** A stored session continues with the model that was chosen in it, unless this run names one. */
async function switchTo(
  session: InteractiveSession,
  { name, model }: Provider,
  asked: PromptCommand,
): Promise<void> {
  if ((asked.model ?? asked.provider) === undefined) return;
  await session.ready;
  const present = session.getModel();
  if (present.provider !== name || present.model !== model)
    await session.setModel({ provider: name, model });
}

/** Reports whether a person can read a question and type the answer. */
function isAttended({ prompt }: PromptCommand): boolean {
  // A typed prompt ends the input.
  return prompt !== "-" && process.stdin.isTTY && process.stderr.isTTY;
}

/** @throws {UsageError} for malformed rules of the command line, or rules that match no call */
function openSession(options: InteractiveSessionOptions): InteractiveSession {
  try {
    return new InteractiveSession(options);
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    throw new UsageError([error.message, error.hint].join("\n"), { cause: error });
  }
}

/**
 * A stored session's turn may be waiting for an answer. Resumes it if the rules of this run allow the call; otherwise
 * the prompt would wait behind it forever. Resolves to that request.
 */
async function answerByRules(session: InteractiveSession): Promise<PermissionRequest | undefined> {
  await session.ready;
  for (const request of session.pendingPermissions()) {
    if (session.explain(request.tool, request.args).decision !== "auto") {
      return request;
    }
    await session.resolvePermission(request.id, { allow: true });
  }
  return undefined;
}

/** The result of a run that could not begin its turn, since an earlier one waits for permission. */
function printRefusal(sessionId: string, permissionDenials: Denial[]): void {
  const state = "interrupted";
  printJson({ type: "result", sessionId, turnId: "", state, response: "", permissionDenials });
}

function printResult(
  sessionId: string,
  result: ExecutionResult,
  permissionDenials: Denial[],
  format: OutputFormat,
): void {
  if (format === "text") {
    const answer = process.stdout.isTTY ? printable(result.response) : result.response;
    if (answer !== "") process.stdout.write(answer.endsWith("\n") ? answer : `${answer}\n`);
    return;
  }
  const { turnId, state, response, toolSummaries, contextState, usage, cost, error } = result;
  printJson({
    type: "result",
    sessionId,
    turnId,
    state,
    response,
    toolSummaries,
    contextState,
    usage,
    cost,
    permissionDenials,
    error,
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

/** Quotes a text as one word of a shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
