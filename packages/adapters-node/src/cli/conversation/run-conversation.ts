import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Text } from "@earendil-works/pi-tui";
import { listSessions, type Platform } from "@robota/runtime";
import type { ClientSession } from "@robota/runtime/sessions";
import { onInterrupt } from "../interrupts.ts";
import { firstLine, printable } from "../printable.ts";
import { TerminalConversation, type ConversationOptions, type Next } from "./conversation.ts";
import { FirstFrame } from "./first-frame.ts";
import { Menu } from "./menu.ts";
import { PromptHistory } from "./prompt-history.ts";
import { Screen } from "./screen.ts";
import type { ThemeName } from "./theme-names.ts";
import { createTheme } from "./theme.ts";

/** A session that a conversation is about, and what the command line knows of it. */
export interface OpenSession {
  session: ClientSession;
  /** The directory of a session of this machine; absent for one on a server. */
  cwd?: string | undefined;
  /** The address of its server; absent for one of this machine. */
  server?: string | undefined;
  /** Brings it from its server to this machine, and resolves to its id here. One whose move was cut has to be closed. */
  bringHere: () => Promise<string>;
  /** Says whether a move from here was cut; absent for a session on a server. */
  isMoveCut?: (() => boolean) | undefined;
  /** Reads the value of an answer, where answers have the form of a schema. */
  outputOf?: ((response: string) => Promise<unknown>) | undefined;
  /** Remarks about how it was opened. */
  notes: readonly string[];
  /** The arguments that resume it. */
  resumeWith: string;
  /** Says what the connection to its server lacks, if anything. */
  connection?: (() => string | undefined) | undefined;
}

/** A session that a person asks for: a stored one, or a new one. */
export interface AskedSession {
  resume: { id: string } | undefined;
  /** The address of its server; `undefined` for one of this machine. */
  server: string | undefined;
  /** True for one that has just moved there. */
  hasMoved?: boolean | undefined;
}

/** Receives what the opening of a session tells. */
export interface Opening {
  /** The state of the connection to its server has changed. */
  onConnection: () => void;
  /** A question is about to be asked at the terminal. */
  beforeQuestion?: (() => void) | undefined;
}

export interface RunOptions {
  platform: Platform;
  theme: ThemeName;
  version: string;
  /** Whose prompts the arrow keys find: a directory or a server. */
  place: string;
  firstPrompt?: string | undefined;
  /** Opens the session of the command, and later those that the person asks for: a stored one, or a new one. */
  open: (asked: AskedSession | "first", opening: Opening) => Promise<OpenSession>;
}

/** Menus of at most so many columns show labels alone. */
const NARROW = 40;

/** Sessions that the menu of `/resume` has; it shows a few at once. */
const SESSIONS_SHOWN = 100;

/** Converses at the terminal until the person leaves, and resolves to the exit code. */
export async function runConversation(options: RunOptions): Promise<number> {
  const { platform, place } = options;
  const history = new PromptHistory(platform.storage, place);
  const prompts = history.load();
  const screen = new Screen(createTheme(options.theme));
  const frame = new FirstFrame(screen);
  let current: TerminalConversation | undefined;
  let leftBy: number | undefined;
  using interrupts = onInterrupt(() => {
    leftBy = interrupts.exitCode();
    current?.leave(leftBy ?? 1);
    if (current) return;
    frame.remove();
    process.exit(leftBy);
  });
  let onConnection = (): void => current?.refresh();
  let opened = await openFirst(frame, screen, options, () => onConnection());
  for (const prompt of await prompts) screen.editor.addToHistory(prompt);
  frame.startScreen();
  let firstPrompt = options.firstPrompt;
  try {
    for (;;) {
      welcome(opened, screen, options);
      current = new TerminalConversation(conversationOptions(opened, screen, history, options));
      const next: Next = await current.run(firstPrompt);
      firstPrompt = undefined;
      await opened.session.shutdown();
      if (next.type === "leave") return next.exitCode;
      opened = await openOther(next, opened, options, { onConnection: () => onConnection() });
    }
  } finally {
    onConnection = () => undefined;
    screen.stop();
    await opened.session.shutdown();
    farewell(opened);
  }
}

/** Opens the session of the command behind its prompt, which is gone again when there is something else to read. */
async function openFirst(
  frame: FirstFrame,
  screen: Screen,
  options: RunOptions,
  onConnection: () => void,
): Promise<OpenSession> {
  welcome({ notes: [] }, screen, options);
  screen.footer.setText(screen.theme.dim("Opening the session…"));
  frame.show();
  const beforeQuestion = (): void => frame.remove();
  try {
    return await options.open("first", { onConnection, beforeQuestion });
  } catch (error) {
    frame.remove();
    throw error;
  }
}

/** Opens the session that the person asked for, or else the one before again, with the reason. */
async function openOther(
  next: Exclude<Next, { type: "leave" }>,
  { session, server, bringHere }: OpenSession,
  { open }: RunOptions,
  opening: Opening,
): Promise<OpenSession> {
  try {
    if (next.type === "open") return await open({ resume: next.resume, server }, opening);
    const place = next.type === "cut" ? { id: await bringHere(), server: undefined } : next;
    const asked = { resume: { id: place.id }, server: place.server, hasMoved: true };
    const opened = await open(asked, opening);
    if (next.type === "moved") return opened;
    return { ...opened, notes: [...opened.notes, "The session goes on here."] };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const isStored = session.getMessages().length > 0;
    const before = isStored ? { id: session.sessionId } : undefined;
    const again = await open({ resume: before, server }, opening);
    return { ...again, notes: [...again.notes, `That session can't be opened: ${reason}`] };
  }
}

function welcome(
  { notes, cwd, server }: Pick<OpenSession, "notes" | "cwd" | "server">,
  screen: Screen,
  { version, place }: RunOptions,
): void {
  const { theme } = screen;
  const title = `${theme.bold(theme.accent("robota"))} ${theme.dim(`${version} · ${printable(cwd ?? server ?? place)}`)}`;
  const hint = theme.dim("/help for commands, /keys for keys, @ for files");
  const lines = [title, hint, ...notes.map((note) => theme.dim(printable(note)))];
  screen.transcript.begin(lines.map((line) => new Text(line, 0, 0)));
}

function farewell({ session, resumeWith }: OpenSession): void {
  if (session.getMessages().length === 0) return;
  process.stdout.write(`Resume this session with: robota ${resumeWith}\n`);
}

function conversationOptions(
  { session, outputOf, connection, cwd, bringHere, isMoveCut }: OpenSession,
  screen: Screen,
  history: PromptHistory,
  { platform }: RunOptions,
): ConversationOptions {
  return {
    session,
    screen,
    bringHere,
    isMoveCut,
    canEditCalls: cwd !== undefined,
    connection: connection ?? (() => undefined),
    async send(prompt) {
      await history.add(prompt);
      const { state, response } = await session.submit(prompt);
      if (state !== "complete" || !outputOf) return;
      await outputOf(response).catch(({ message }: Error) =>
        screen.note(`✗ ${printable(message)}`, "error"),
      );
    },
    async writeExport(fileName, text) {
      const path = join(cwd ?? process.cwd(), fileName);
      // A file that is there already is not ours to replace.
      await writeFile(path, text, { flag: "wx" });
      return path;
    },
    pickSession: cwd === undefined ? undefined : (open) => pickSession(platform, screen, open),
  };
}

async function pickSession(
  { storage }: Platform,
  screen: Screen,
  open: (id: string) => void,
): Promise<void> {
  const sessions = (await listSessions(storage)).slice(0, SESSIONS_SHOWN);
  if (sessions.length === 0) return screen.note("There is no other session yet.");
  const { theme, tui } = screen;
  const isNarrow = tui.terminal.columns <= NARROW;
  const menu = new Menu({
    theme,
    above: [new Text(theme.bold("Resume"), 0, 0)],
    items: sessions.map(({ id, name, preview, updatedAt, cwd }) => {
      const title = firstLine(name ?? preview, 50);
      const time = updatedAt.slice(0, 16).replace("T", " ");
      const description = `${time} ${printable(cwd)}`;
      return { label: isNarrow ? `${time} ${title}` : title, description, choose: () => open(id) };
    }),
    hint: "↑↓ and Enter to choose · Esc to close",
    onCancel: () => screen.closeDialog(),
  });
  screen.showDialog(menu);
}
