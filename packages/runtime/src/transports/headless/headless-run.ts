import { errorFacts, SessionError } from "../../errors.ts";
import type { SentFile } from "../../interactive/attachments.ts";
import type { ClientSession } from "../../interactive/client-session.ts";
import type { CommandOutcome, CommandResult } from "../../interactive/commands/command.ts";
import type { InteractiveSession } from "../../interactive/interactive-session.ts";
import type { ExecutionResult } from "../../interactive/types.ts";
import type { PermissionResult } from "../../permissions/permission.ts";
import type { PermissionRequest } from "../../session/log/events.ts";
import { Denials } from "./denials.ts";
import { EXIT_CODES, type HeadlessOptions } from "./headless-options.ts";
import { type InputLine, readInputLine } from "./input-line.ts";

/** The end of a turn, with the value of its answer. */
type HeadlessResult = ExecutionResult & { output?: unknown };
type PromptLine = Extract<InputLine, { type: "prompt" }>;
type Turn = (session: ClientSession) => Promise<ExecutionResult>;

/** One session from its first input to its end. */
export class HeadlessRun {
  readonly #session: ClientSession;
  readonly #options: HeadlessOptions;
  readonly #denials = new Denials();
  /** True while lines of input can answer requests. */
  #hasInput: boolean;
  #refused: PermissionRequest | undefined;

  constructor(session: ClientSession, options: HeadlessOptions) {
    this.#session = session;
    this.#options = options;
    this.#hasInput = typeof options.input !== "string";
  }

  /** Runs the session to its end and closes it, also after a failure. Resolves to the exit code. */
  async run(): Promise<number> {
    try {
      return await this.#runInput();
    } finally {
      await this.#session.shutdown();
    }
  }

  async #runInput(): Promise<number> {
    const { input, format } = this.#options;
    const session = this.#session;
    session.on("event", this.#denials.take);
    if (format === "stream-json") session.on("event", (event) => this.#print(event));
    if (!this.#options.isAttended)
      session.on("permission_request", (request) => {
        if (!this.#hasInput) this.#refuse(request);
      });
    const refused = await this.#answerWaiting();
    if (refused) return this.#cannotBegin(refused);
    return typeof input === "string" ? this.#runText(input) : this.#runLines(input);
  }

  /** With nobody to ask, the first call that needs approval ends the turn. */
  #refuse(request: PermissionRequest): void {
    this.#refused ??= request;
    this.#session.abort();
  }

  /**
   * A stored session's turn may wait for an answer. It goes on where the rules of this run allow the call; otherwise a prompt
   * would wait behind it forever. Resolves to that request.
   */
  async #answerWaiting(): Promise<PermissionRequest | undefined> {
    const { isAttended, isAllowed } = this.#options;
    if (isAttended) return undefined;
    await this.#session.ready;
    if (this.#hasInput) return undefined;
    for (const request of this.#session.pendingPermissions()) {
      if (!isAllowed?.(request)) return request;
      await this.#session.resolvePermission(request.id, { allow: true });
    }
    return undefined;
  }

  #cannotBegin(request: PermissionRequest): number {
    this.#denials.add(request);
    const { format = "text", onRefusal } = this.#options;
    const { sessionId } = this.#session;
    const permissionDenials = this.#denials.drain();
    if (format !== "text") {
      const state = "interrupted";
      this.#print({
        type: "result",
        sessionId,
        turnId: "",
        state,
        response: "",
        permissionDenials,
      });
    }
    onRefusal?.(request);
    return EXIT_CODES.refused;
  }

  async #runText(prompt: string): Promise<number> {
    const command = await this.#commandOf(prompt);
    if (command?.result) {
      await this.#session.shutdown();
      this.#printCommand(command.result);
      return command.result.success ? EXIT_CODES.complete : EXIT_CODES.failed;
    }
    const result = await (command?.turn ?? submitting(prompt))(this.#session);
    // The last events come before the result, which is the last line.
    await this.#session.shutdown();
    return this.#report(await this.#withOutput(result));
  }

  /** Prompts one after another; answers and steering at once. */
  async #runLines(lines: AsyncIterable<string>): Promise<number> {
    let exitCode: number = EXIT_CODES.complete;
    let turns: Promise<unknown> = Promise.resolve();
    const steering: Promise<void>[] = [];
    const run = async ({ text, displayText, attachments = [] }: PromptLine): Promise<void> => {
      const command = attachments.length > 0 ? undefined : await this.#commandOf(text);
      if (command?.result) {
        this.#printCommand(command.result);
        if (!command.result.success) exitCode = EXIT_CODES.failed;
        return;
      }
      const turn = command?.turn ?? (await this.#withFiles(text, displayText, attachments));
      if (!turn) exitCode = EXIT_CODES.failed;
      else {
        const result = await turn(this.#session);
        exitCode = this.#report(await this.#withOutput(result)) || exitCode;
      }
    };
    try {
      for await (const line of lines) {
        if (line.trim() === "") continue;
        const input = readInputLine(line);
        if (input.type === "prompt") turns = turns.then(() => run(input));
        // May begin a turn, which waits for answers in later lines.
        else if (input.type === "steer") steering.push(this.#session.steer(input.text));
        else if (input.type === "abort") this.#session.abort();
        else await this.#answer(input.requestId, input.answer);
        // A failure comes out at the end.
        for (const work of [turns, ...steering]) work.catch(() => undefined);
      }
    } catch (error) {
      this.#session.abort();
      this.#print({ type: "error", ...errorFacts(error) });
      exitCode = EXIT_CODES.usage;
    }
    this.#hasInput = false;
    // Nobody is left to answer what waits.
    const [request] = this.#session.pendingPermissions();
    if (request && !this.#options.isAttended) this.#refuse(request);
    await turns;
    await Promise.all(steering);
    if (steering.length > 0) await this.#idle();
    return exitCode;
  }

  /** Resolves when no turn runs. */
  async #idle(): Promise<void> {
    const session = this.#session;
    while (session.isExecuting()) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const stop = session.on("thinking", (isThinking) => !isThinking && resolve());
      await promise;
      stop();
    }
  }

  /** The turn of a prompt with its attachments; `undefined` when they are refused, which ends nothing. */
  async #withFiles(
    text: string,
    displayText: string | undefined,
    files: readonly SentFile[],
  ): Promise<Turn | undefined> {
    if (files.length === 0) return submitting(text, displayText);
    const { readAttachments } = await import("../../interactive/attachments.ts");
    try {
      const attachments = readAttachments(files);
      return (session) => session.submit(text, { displayInput: displayText, attachments });
    } catch (error) {
      this.#print({ type: "error", ...errorFacts(error) });
      return undefined;
    }
  }

  async #answer(requestId: string, answer: PermissionResult): Promise<void> {
    try {
      await this.#session.resolvePermission(requestId, answer);
    } catch (error) {
      // Somebody else was faster, or the turn has ended meanwhile: the program sees it by the events.
      if (!(error instanceof SessionError)) throw error;
      this.#print({ type: "error", ...errorFacts(error) });
    }
  }

  async #withOutput(result: ExecutionResult): Promise<HeadlessResult> {
    const { outputOf } = this.#options;
    if (!outputOf || result.state !== "complete") return result;
    try {
      return { ...result, output: await outputOf(result.response) };
    } catch (error) {
      return { ...result, state: "failed", error: errorFacts(error) };
    }
  }

  /** Prints a turn's result, and resolves to its exit code. */
  #report(result: HeadlessResult): number {
    this.#printResult(result);
    const refused = this.#refused;
    this.#refused = undefined;
    if (refused) {
      this.#options.onRefusal?.(refused);
      return EXIT_CODES.refused;
    }
    if (result.error) this.#options.onFailure?.(result.error);
    return EXIT_CODES[result.state];
  }

  #printResult(result: HeadlessResult): void {
    const { turnId, state, response, output, toolSummaries, contextState } = result;
    const { usage, cost, error } = result;
    const permissionDenials = this.#denials.drain();
    if ((this.#options.format ?? "text") === "text")
      return this.#printText(this.#options.outputOf ? textOf(output) : response);
    const { sessionId } = this.#session;
    return this.#print({
      type: "result",
      sessionId,
      turnId,
      state,
      response,
      output,
      toolSummaries,
      contextState,
      usage,
      cost,
      permissionDenials,
      error,
    });
  }

  /** Prints the result of a command: its message, or the text that it made for the program. */
  #printCommand({ message, success, data }: CommandResult): void {
    const { sessionId } = this.#session;
    if ((this.#options.format ?? "text") !== "text")
      return this.#print({ type: "command-result", sessionId, message, success, data });
    return this.#printText(typeof data?.["text"] === "string" ? data["text"] : message);
  }

  #printText(text: string): void {
    const shown = this.#options.sanitise?.(text) ?? text;
    if (shown !== "") this.#options.write(shown.endsWith("\n") ? shown : `${shown}\n`);
  }

  #print(value: unknown): void {
    this.#options.write(`${JSON.stringify(value)}\n`);
  }

  /** The outcome of a text such as `/cost`, or the turn that its command makes; `undefined` for any other text. */
  async #commandOf(text: string): Promise<{ result?: CommandResult; turn?: Turn } | undefined> {
    const [, name, args = ""] = /^\/([^\s/]+)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
    if (name === undefined) return undefined;
    const session = this.#session;
    if (!isLocal(session)) {
      const result = await session.executeCommand(name, args);
      return result ? { result } : undefined;
    }
    const outcome: CommandOutcome | null = await session.prepareCommand(name, args);
    if (!outcome) return undefined;
    const { result, prompt } = outcome;
    return result ? { result } : { turn: () => session.submitPrompt(prompt) };
  }
}

/** Text that is not the value it should be is no answer. */
function textOf(output: unknown): string {
  return output === undefined ? "" : JSON.stringify(output);
}

function submitting(text: string, displayText?: string): Turn {
  return (session) => session.submit(text, displayText);
}

/** A session in this process tells the prompt of a command from its result. */
function isLocal(session: ClientSession): session is InteractiveSession {
  return "prepareCommand" in session;
}
