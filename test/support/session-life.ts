import { InteractiveSession, type Platform, type SessionEvent } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";

// A session that works turn after turn with tools that change files, until it is killed, and the required state
// afterwards.

/** Streamed events: never stored, or stored with the next event that somebody acts on. */
const SHOWN_ONLY = new Set([
  "tool_output",
  "context_update",
  "text_delta",
  "thinking_delta",
  "permission_auto",
  "files_before",
]);
/** A number that no life reaches. */
const TURNS = 500;

/** The model's actions in a turn: reads the file, writes it, changes it with a command, edits it, answers. */
function* answers(file: string, turn: number): Generator<object> {
  let calls = 0;
  const call = (name: string, args: object) => ({
    toolCalls: [{ id: `${turn}-${(calls += 1)}`, name, args }],
  });
  yield call("Read", { filePath: file });
  yield call("Write", { filePath: file, content: `written ${turn}\n` });
  yield call("Bash", {
    command: `echo shell ${turn} >> a.txt; echo ${turn} > made-${turn % 5}.txt`,
  });
  yield call("Read", { filePath: file });
  yield call("Edit", { filePath: file, oldString: `written ${turn}`, newString: `edited ${turn}` });
  yield { deltas: ["Done ", `with ${turn}`] };
}

/**
 * Works from turn `first` on until killed, and reports each event that its listener received, except for streamed ones,
 * and the content of the file before each turn.
 */
export async function liveAsSession(
  platform: Platform,
  options: { cwd: string; first: number; report: (line: string) => unknown },
): Promise<never> {
  const { cwd, first, report } = options;
  const file = `${cwd}/a.txt`;
  const session = new InteractiveSession({
    platform,
    cwd,
    sessionId: "s",
    permissionMode: "bypassPermissions",
    contextWindow: 100_000_000,
    provider: new ScriptedProvider(
      Array.from({ length: TURNS }, (_, index) => [...answers(file, first + index)]).flat(),
    ),
  });
  session.on("event", (event) => {
    if (!SHOWN_ONLY.has(event.type)) void report(`event ${nameOf(event)}`);
  });
  for (let turn = first; ; turn++) {
    const before = new TextDecoder().decode(await platform.fs.readFile(file));
    // The state before a turn is reported first.
    await report(`begin ${turn} ${JSON.stringify(before)}`);
    const { state, error } = await session.submit(`turn ${turn}`);
    if (state !== "complete") throw new Error(`turn ${turn} is ${state}: ${error?.message ?? ""}`);
  }
}

export interface LifeCheck {
  /** Violations found. */
  problems: string[];
  /** Number of events that the life reported. */
  reported: number;
  /** True if the files of its last turn were restored. */
  isRewound: boolean;
}

/** Opens the session of a killed life, and checks that everything it reported exists and its files can be restored. */
export async function checkLife(
  platform: Platform,
  { cwd, lines }: { cwd: string; lines: readonly string[] },
): Promise<LifeCheck> {
  const reported = lines.filter((line) => line.startsWith("event ")).map((line) => line.slice(6));
  const [, first = "", ...content] =
    lines.find((line) => line.startsWith("begin "))?.split(" ") ?? [];
  const found = new Map([[`turn ${first}`, String(JSON.parse(content.join(" ") || '""'))]]);
  const session = new InteractiveSession({
    platform,
    cwd,
    sessionId: "s",
    provider: new ScriptedProvider([]),
  });
  await session.ready;
  const problems: string[] = session.isExecuting() ? ["a turn runs by itself"] : [];
  const events = new Set<string>();
  const name = `looked at ${crypto.randomUUID()}`;
  await session.setName(name);
  for await (const event of session.events()) {
    events.add(nameOf(event));
    if (event.type === "name_change" && event.name === name) break;
  }
  for (const event of reported) if (!events.has(event)) problems.push(`${event} is lost`);
  if (session.getFullHistory().some(({ type }) => type === "log-damaged"))
    problems.push("the log is damaged");
  const last = session.checkpoints().findLast(({ kind }) => kind === "turn");
  const isRewound = last !== undefined && Number(last.input.slice(5)) >= Number(first);
  if (isRewound) {
    const expected = found.get(last.input) ?? leftBy(Number(last.input.slice(5)) - 1);
    const { files } = await session.rewind(last.id, "files");
    for (const { path } of files.notRestored) problems.push(`${path} is not restored`);
    const content = new TextDecoder().decode(await platform.fs.readFile(`${cwd}/a.txt`));
    if (content !== expected) problems.push(`a.txt holds ${content} and not ${expected}`);
  }
  await session.shutdown();
  return { problems, reported: reported.length, isRewound };
}

/** The content of the file after a turn. */
function leftBy(turn: number): string {
  return `edited ${turn}\nshell ${turn}\n`;
}

function nameOf({ seq, type }: SessionEvent): string {
  return `${seq} ${type}`;
}
