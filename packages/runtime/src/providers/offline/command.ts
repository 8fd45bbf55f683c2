import { isQuoted, splitAll, splitOnce, unquote } from "./split.ts";

export type FailureKind = "429" | "500" | "network" | "overloaded";

/** One command of the offline language. */
export type OfflineCommand =
  | { verb: "list"; glob: string }
  | { verb: "read"; path: string }
  | { verb: "find"; text: string; glob?: string }
  | { verb: "write"; path: string; text: string }
  | { verb: "replace"; from: string; to: string; path: string }
  | { verb: "run"; command: string }
  | { verb: "fetch"; url: string }
  | { verb: "search"; query: string }
  | { verb: "plan"; items: string[] }
  | { verb: "ask"; question: string; choices: string[] }
  | { verb: "delegate"; agent: string; task: string; isBackground?: true }
  | { verb: "long"; tokens: number }
  | { verb: "slow"; ms: number }
  | { verb: "fail"; with: FailureKind }
  | { verb: "help" };

export type Verb = OfflineCommand["verb"];

/** Syntax and effect of a command, for help texts and for suggestions in a user interface. */
export interface CommandHelp {
  verb: Verb;
  usage: string;
  does: string;
}

/** The commands of the offline provider, for help texts and completion. */
export const offlineCommands: readonly CommandHelp[] = [
  { verb: "list", usage: "list [glob]", does: "lists files" },
  { verb: "read", usage: "read <path>", does: "shows a file" },
  { verb: "find", usage: "find <text> [in <glob>]", does: "searches files for a text" },
  { verb: "write", usage: "write <path>: <text>", does: "writes a file" },
  {
    verb: "replace",
    usage: "replace <old> with <new> in <path>",
    does: "changes a text in a file",
  },
  { verb: "run", usage: "run <command>", does: "runs a shell command" },
  { verb: "fetch", usage: "fetch <url>", does: "reads a web page" },
  { verb: "search", usage: "search web <words>", does: "searches the web" },
  { verb: "plan", usage: "plan <a>; <b>; <c>", does: "shows a plan, then does its commands" },
  {
    verb: "ask",
    usage: "ask me <question>: <a>|<b>",
    does: "asks you, and continues with your answer",
  },
  {
    verb: "delegate",
    usage: "delegate <agent> [in background]: <command>",
    does: "has a subagent do it",
  },
  { verb: "long", usage: "long <n>", does: "writes about n tokens" },
  { verb: "slow", usage: "slow <ms>", does: "waits that many milliseconds" },
  { verb: "fail", usage: "fail <429|500|network|overloaded>", does: "fails like a model service" },
  { verb: "help", usage: "help", does: "shows this list" },
];

const MAX_TOKENS = 200_000;
const MAX_WAIT_MS = 600_000;

/** The command of one line, or nothing: a script does not guess. */
export function parseCommand(line: string): OfflineCommand | undefined {
  const [, word = "", rest = ""] = /^(\S+)\s*(.*)$/s.exec(line.trim()) ?? [];
  switch (word.toLowerCase()) {
    case "list":
      return { verb: "list", glob: unquote(rest) || "**/*" };
    case "read":
      return rest ? { verb: "read", path: pathOf(rest) } : undefined;
    case "find":
      return parseFind(rest);
    case "write":
      return parseWrite(rest);
    case "replace":
      return parseReplace(rest);
    case "run":
      return rest ? { verb: "run", command: rest } : undefined;
    case "fetch":
      return URL.canParse(unquote(rest)) ? { verb: "fetch", url: unquote(rest) } : undefined;
    case "search":
      return after(rest, "web", (query) => ({ verb: "search", query: unquote(query) }));
    case "plan": {
      const items = splitAll(rest, ";");
      return items.length > 0 ? { verb: "plan", items } : undefined;
    }
    case "ask":
      return after(rest, "me", parseQuestion);
    case "delegate": {
      // An agent's name may have a colon of its own: `project:reviewer`.
      const [agent, task] = splitOnce(rest, ": ") ?? splitOnce(rest, ":") ?? [];
      return agent && task ? delegation(agent, task) : undefined;
    }
    case "long":
      return parseCount(rest, MAX_TOKENS, (tokens) => ({ verb: "long", tokens }));
    case "slow":
      return parseCount(rest, MAX_WAIT_MS, (ms) => ({ verb: "slow", ms }));
    case "fail":
      return isFailure(rest) ? { verb: "fail", with: rest } : undefined;
    case "help":
      return rest === "" ? { verb: "help" } : undefined;
    default:
      return word.startsWith("@agent-") && rest ? delegation(word.slice(7), rest) : undefined;
  }
}

/** The commands whose first word is nearest to that of a line. */
export function closestCommands(line: string, count = 3): CommandHelp[] {
  const word = /^\S*/.exec(line.trim().toLowerCase())?.[0] ?? "";
  return offlineCommands
    .map((help) => ({ help, distance: editDistance(word, help.verb) }))
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, count)
    .map(({ help }) => help);
}

/** A path as it is typed, or as a mention. */
function pathOf(text: string): string {
  return unquote(text.replace(/^@/, ""));
}

function parseFind(rest: string): OfflineCommand | undefined {
  if (rest === "") return undefined;
  const [text, glob] = splitOnce(rest, " in ", "last") ?? [];
  if (!text || !glob || /\s/.test(glob)) return { verb: "find", text: unquote(rest) };
  return { verb: "find", text: unquote(text), glob: unquote(glob) };
}

function parseWrite(rest: string): OfflineCommand | undefined {
  const [path, text] = splitOnce(rest, ":") ?? [];
  if (!path || text === undefined) return undefined;
  // Text files end with a newline, unless the content is quoted.
  return { verb: "write", path: pathOf(path), text: isQuoted(text) ? unquote(text) : `${text}\n` };
}

function parseReplace(rest: string): OfflineCommand | undefined {
  const [from, tail] = splitOnce(rest, " with ") ?? [];
  const [to, path] = splitOnce(tail ?? "", " in ", "last") ?? [];
  if (!from || to === undefined || !path) return undefined;
  return { verb: "replace", from: unquote(from), to: unquote(to), path: pathOf(path) };
}

function parseQuestion(rest: string): OfflineCommand | undefined {
  const [question, choices] = splitOnce(rest, ":", "last") ?? [rest, ""];
  if (question === "") return undefined;
  return { verb: "ask", question: unquote(question), choices: splitAll(choices, "|").map(unquote) };
}

function parseCount(
  rest: string,
  most: number,
  make: (count: number) => OfflineCommand,
): OfflineCommand | undefined {
  return /^\d{1,9}$/.test(rest) ? make(Math.min(Number(rest), most)) : undefined;
}

function after(
  rest: string,
  word: string,
  make: (tail: string) => OfflineCommand | undefined,
): OfflineCommand | undefined {
  const [first = "", ...tail] = rest.split(" ");
  const text = tail.join(" ").trim();
  return first.toLowerCase() === word && text !== "" ? make(text) : undefined;
}

function isFailure(text: string): text is FailureKind {
  return text === "429" || text === "500" || text === "network" || text === "overloaded";
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  // A long word is far from every command; its end makes no difference.
  for (let line = 1; line <= Math.min(a.length, 32); line += 1) {
    const next = [line];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a.charAt(line - 1) === b.charAt(column - 1) ? 0 : 1;
      const replaced = (row[column - 1] ?? 0) + same;
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

function delegation(named: string, task: string): OfflineCommand {
  const [, agent] = /^(.*\S) in background$/.exec(named.trim()) ?? [];
  if (agent === undefined) return { verb: "delegate", agent: unquote(named), task };
  return { verb: "delegate", agent: unquote(agent), task, isBackground: true };
}
