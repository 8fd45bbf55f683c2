import type { PermissionAnswer } from "@robota/runtime/permissions";
import type { Checkpoint, ClientSession, RewindScope } from "@robota/runtime/sessions";
import { SessionError, type SessionEvent, ValidationError } from "@robota/runtime";
import { printable } from "../printable.ts";
import { showApproval } from "./approval.ts";
import { completions } from "./completions.ts";
import { keysHelp, listenForKeys } from "./keys.ts";
import type { OwnCommand } from "./own-commands.ts";
import { Question } from "./question.ts";
import { showRewind } from "./rewind.ts";
import type { Screen } from "./screen.ts";
import { runCommand } from "./slash-command.ts";
import { footerText } from "./status-line.ts";
import { waitingText } from "./waiting-prompts.ts";

/** The next step after a conversation: the program's end, or another session. */
export type Next =
  | { type: "leave"; exitCode: number }
  | { type: "open"; resume: { id: string } | undefined }
  | { type: "moved"; id: string; server: string | undefined }
  /** The session of a cut move, which is brought here once it is closed. */
  | { type: "cut" };

export interface ConversationOptions {
  session: ClientSession;
  screen: Screen;
  /** True where a person may change the calls of tools before they run. */
  canEditCalls: boolean;
  /** Sends a prompt, and resolves when its turn has ended. */
  send: (prompt: string) => Promise<void>;
  /** Asks for another session to open; absent where there is no list of them. */
  pickSession?: ((open: (id: string) => void) => Promise<void>) | undefined;
  /** Brings a session on a server to this machine, and resolves to its id here. */
  bringHere: () => Promise<string>;
  /** Says whether a move from here was cut; absent for a session on a server. */
  isMoveCut?: (() => boolean) | undefined;
  /** Writes the output of `/export`, and resolves to its path. */
  writeExport: (fileName: string, text: string) => Promise<string>;
  /** Says what the connection to a server lacks, if anything. */
  connection: () => string | undefined;
}

const MOVE = /^\/move\b/;
const CUT_MOVE =
  "The move was cut: the same command completes it, /move here keeps the session here.";

/** Connects one session with the screen: shows what happens in it, and sends it what the person types. */
export class TerminalConversation {
  readonly #options: ConversationOptions;
  readonly #ended = Promise.withResolvers<Next>();
  readonly #closed = new AbortController();
  #isOver = false;
  readonly #own: readonly OwnCommand[];
  /** The request whose dialog is shown, and one that a person has answered already. */
  #asked: string | undefined;
  #answered: string | undefined;
  /** True while the session moves, and its open requests with it. */
  #isMoving = false;

  constructor(options: ConversationOptions) {
    this.#options = options;
    this.#own = this.#ownCommands();
  }

  /** Runs until the person leaves or opens another session. */
  async run(firstPrompt: string | undefined): Promise<Next> {
    const { session, screen } = this.#options;
    const { editor, tui } = screen;
    editor.setAutocompleteProvider(completions(session, this.#own));
    editor.onSubmit = (text) => this.#submit(text);
    const stopListening = listenForKeys(tui, {
      session,
      screen,
      leave: () => this.leave(0),
      openRewind: () => this.#openRewind(),
      report: (work) => this.#report(work),
    });
    // The last event of a turn comes before the turn is over.
    const stopWatching = session.on("thinking", () => this.#refresh());
    screen.onDialogClosed = () => {
      this.#asked = undefined;
      this.#showRequest();
    };
    this.#refresh();
    this.#follow().catch((error: unknown) => this.#fail(error));
    if (firstPrompt !== undefined) this.#submit(firstPrompt);
    try {
      return await this.#ended.promise;
    } finally {
      stopListening();
      stopWatching();
      this.#closed.abort();
      screen.onDialogClosed = undefined;
      screen.running.stop();
      screen.closeDialog();
    }
  }

  /** Ends the conversation, as the person or a signal asks. */
  leave(exitCode: number): void {
    this.#ended.resolve({ type: "leave", exitCode });
  }

  /** Shows the present state of the connection. */
  refresh(): void {
    this.#refresh();
  }

  async #follow(): Promise<void> {
    const { session } = this.#options;
    const after = session.lastSeq;
    for await (const event of session.events({ after, signal: this.#closed.signal }))
      this.#take(event);
  }

  #take(event: SessionEvent): void {
    const { session, screen } = this.#options;
    if (event.type === "text_delta") {
      screen.live.setWords(session.getStreamingText());
      screen.draw();
    } else if (event.type === "tool_output") {
      screen.live.addOutput(event.toolCallId, event.text);
      screen.draw();
    } else if (event.type !== "thinking_delta") this.#refresh();
  }

  #refresh(): void {
    const { session, screen, connection } = this.#options;
    const { theme, live, running, transcript, waiting, footer } = screen;
    transcript.show(session.getFullHistory());
    live.setWords(session.getStreamingText());
    live.setTools(session.getActiveTools());
    waiting.setText(waitingText(session.queue, theme));
    const problem = connection();
    const text = footerText(session, theme);
    footer.setText(problem === undefined ? text : `${theme.error(problem)} ${text}`);
    this.#showRequest();
    const isWaiting = session.pendingPermissions().length > 0;
    running.set(session.isExecuting() && !isWaiting ? "Working" : undefined);
    screen.draw();
  }

  /**
   * Shows the oldest open request, or closes its dialog when it was answered here or elsewhere. A command's own dialog comes
   * first, and so does a move: the request is to be answered where the session goes on.
   */
  #showRequest(): void {
    const { session, screen, canEditCalls, isMoveCut } = this.#options;
    if (this.#isMoving || this.#isOver || isMoveCut?.()) return;
    if (screen.hasDialog && this.#asked === undefined) return;
    const request = session.pendingPermissions().find(({ id }) => id !== this.#answered);
    if (request?.id === this.#asked) return;
    this.#asked = request?.id;
    if (!request) return screen.closeDialog();
    showApproval({
      tui: screen.tui,
      theme: screen.theme,
      request,
      canEdit: canEditCalls,
      wasTyping: screen.editor.getText() !== "",
      show: (dialog) => screen.showDialog(dialog),
      answer: (answer) => this.#answer(request.id, answer),
      onStop: () => session.abort({ keepQueue: true }),
      onCommand: () => this.#askForCommand(),
    });
  }

  /** Takes a command while a request waits, which is shown again behind it. */
  #askForCommand(): void {
    const { session, screen } = this.#options;
    const { tui, theme, editor } = screen;
    // It may have come in the middle of one.
    const typed = editor.getText();
    const isBegun = typed.startsWith("/");
    const question = new Question({
      tui,
      theme,
      title: "A command, while the request waits",
      initial: isBegun ? typed : "/",
      completions: completions(session, this.#own),
      onCancel: () => screen.closeDialog(),
      onAnswer: (text) => {
        if (isBegun) editor.setText("");
        this.#isMoving = MOVE.test(text.trim());
        screen.closeDialog();
        if (text.trim() !== "/") this.#submit(text);
      },
    });
    screen.showDialog(question);
  }

  #answer(id: string, answer: PermissionAnswer): void {
    const { session } = this.#options;
    this.#answered = id;
    this.#showRequest();
    const answered = session.resolvePermission(id, answer).catch((error: unknown) => {
      // A pattern that the session refuses: the request still waits.
      this.#answered = undefined;
      this.#refresh();
      throw error;
    });
    this.#report(answered);
  }

  #submit(text: string): void {
    const { session, screen } = this.#options;
    const prompt = text.trim();
    if (prompt === "") {
      if (session.queue.isPaused()) this.#report(session.queue.resume());
      return;
    }
    screen.editor.addToHistory(prompt);
    const sent = prompt.startsWith("/") ? this.#command(prompt) : this.#send(prompt);
    this.#report(sent);
    this.#refresh();
  }

  async #send(prompt: string): Promise<void> {
    const { screen, send } = this.#options;
    try {
      await send(prompt);
    } catch (error) {
      // It waits where the session goes on.
      if (error instanceof SessionError && error.code === "HANDED_OVER") return;
      // Nothing that a person has written is lost.
      if (screen.editor.getText() === "") screen.editor.setText(prompt);
      throw error;
    }
  }

  async #command(line: string): Promise<void> {
    const { session, screen, pickSession, writeExport, isMoveCut } = this.#options;
    // Sending a session with its files takes a while.
    const isMove = MOVE.test(line);
    const isAsking = session.pendingPermissions().length > 0;
    if (isMove) screen.hint(`Moving the session${isAsking ? " with the request that waits" : ""}…`);
    this.#isMoving = isMove;
    const done = runCommand(line, {
      session,
      screen,
      own: this.#own,
      writeExport,
      leave: () => this.leave(0),
      open: (resume) => this.#end({ type: "open", resume }),
      // A server does not say where its client's token goes.
      goTo: isMoveCut && ((place) => this.#end({ type: "moved", ...place })),
      pickSession,
      openRewind: () => this.#openRewind(),
    });
    try {
      await done;
    } finally {
      if (isMove) this.#isMoving = false;
      if (isMove) screen.hint(this.#isOver || !isMoveCut?.() ? "" : CUT_MOVE);
      if (!this.#isOver) this.#refresh();
    }
  }

  #ownCommands(): OwnCommand[] {
    const { screen, bringHere, isMoveCut } = this.#options;
    const showKeys = (): void => screen.add(keysHelp(screen.theme));
    const keys = { name: "keys", description: "Show the keys", run: showKeys };
    const move: OwnCommand = {
      isRare: isMoveCut !== undefined,
      name: "move",
      argument: "here",
      description: "Continue this session on this machine",
      run: async (target) => {
        if (isMoveCut) return this.#keepHere(isMoveCut());
        if (target !== "here")
          throw new ValidationError("From a server, a session moves to this machine first", {
            hint: "Write /move here.",
          });
        this.#end({ type: "moved", id: await bringHere(), server: undefined });
      },
    };
    return [keys, move];
  }

  #keepHere(isCut: boolean): void {
    if (!isCut)
      throw new ValidationError("This session goes on here already", {
        hint: "Write /move and the address of a server to continue it there.",
      });
    this.#end({ type: "cut" });
  }

  #end(next: Next): void {
    this.#isOver = true;
    this.#ended.resolve(next);
  }

  #openRewind(): void {
    const { session, screen } = this.#options;
    const checkpoints = session.checkpoints();
    if (checkpoints.length === 0) return screen.hint("There is no earlier turn yet.");
    const close = (): void => screen.closeDialog();
    showRewind({
      theme: screen.theme,
      checkpoints,
      show: (dialog) => screen.showDialog(dialog),
      rewind: (checkpoint, what) => {
        close();
        this.#report(this.#rewind(checkpoint, what));
      },
      onCancel: close,
    });
  }

  async #rewind({ id, input }: Checkpoint, what: RewindScope): Promise<void> {
    const { session, screen } = this.#options;
    const { files } = await session.rewind(id, what);
    this.#refresh();
    for (const { path, reason } of files.notRestored)
      screen.note(printable(`Not restored: ${path}: ${reason}`), "warning");
    if (what !== "files" && screen.editor.getText() === "") screen.editor.setText(input);
    screen.draw();
  }

  #report(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.#show(error));
  }

  #show(error: unknown): void {
    const { screen } = this.#options;
    const { message = String(error), hint } = (error ?? {}) as { message?: string; hint?: string };
    screen.note(printable(hint ? `✗ ${message}\n  ${hint}` : `✗ ${message}`), "error");
  }

  /** The session's events have ended for good. */
  #fail(error: unknown): void {
    if (this.#closed.signal.aborted) return;
    this.#show(error);
    this.leave(1);
  }
}
