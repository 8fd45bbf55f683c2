import { defined } from "../../defined.ts";
import {
  contentText,
  type Message,
  type ToolArgs,
  type ToolMessage,
} from "../../messages/message.ts";
import {
  closestCommands,
  type OfflineCommand,
  type CommandHelp,
  type FailureKind,
  offlineCommands,
  parseCommand,
} from "./command.ts";

/** The next step of a script: one tool call, or an action of its own. */
export type Action =
  | { do: "call"; tool: string; args: ToolArgs; line: string }
  | { do: "say"; text: string }
  | { do: "fill"; tokens: number }
  | { do: "wait"; ms: number }
  | { do: "fail"; with: FailureKind }
  /** Ends the answer; the rest waits for the person. */
  | { do: "ask"; text: string; choices: string[] };

/** The state of a script: its actions, the next one, and the text to say first. */
export interface Standing {
  actions: readonly Action[];
  next: number;
  /** Text at the beginning of the answer. */
  opening?: string;
  /** The last call, with its result. */
  made?: { action: Action; result: ToolMessage };
}

export interface NotUnderstood {
  line: string;
  closest: readonly CommandHelp[];
  /** The script that this text came into the middle of. */
  unfinished?: Standing;
}

/** Ids of calls carry the number of their action, which is how a later request finds its place again. */
export function callId(action: number, unique: string): string {
  return `script_${action}_${unique}`;
}

/**
 * The script's state, computed from the conversation alone: a reload, a fork or another process continues at the same
 * place.
 */
export function standing(messages: readonly Message[]): Standing | NotUnderstood {
  const asked = messages.findLastIndex(({ role }) => role === "user");
  const script = scriptAt(messages, asked);
  if ("line" in script) return withUnfinished(script, messages.slice(0, Math.max(0, asked)));
  const last = lastCall(messages, asked);
  const action = last && script.actions[last.action];
  if (!last || !action) return script;
  return { actions: script.actions, next: last.action + 1, made: { action, result: last.result } };
}

function withUnfinished(problem: NotUnderstood, before: readonly Message[]): NotUnderstood {
  if (before.at(-1)?.role !== "tool") return problem;
  const unfinished = standing(before);
  return "line" in unfinished ? problem : { ...problem, unfinished };
}

/** The script of the user message at `index`: its own, or the one whose question it answers. */
function scriptAt(messages: readonly Message[], index: number): Standing | NotUnderstood {
  const message = messages[index];
  const text = message ? withoutHookContext(contentText(message.content)) : "";
  const own = compile(text);
  if (!("line" in own)) return { actions: own, next: 0 };
  const before = messages.slice(0, Math.max(0, index));
  const question = openQuestion(before);
  if (!question) return own;
  const { actions, at, ask } = question;
  const choice = chosen(text, ask.choices);
  return choice === undefined
    ? { actions, next: at, opening: `"${text.trim()}" is not one of the choices.` }
    : { actions, next: at + 1, opening: `You chose ${choice}.` };
}

/** The person's text without context that hooks appended for a model. */
function withoutHookContext(text: string): string {
  const [open, close] = ["<hook-context>\n", "</hook-context>"];
  const end = text.trimEnd();
  if (!end.endsWith(close)) return text;
  const at = end.startsWith(open) ? 0 : end.indexOf(`\n${open}`);
  return at === -1 ? text : end.slice(0, at).trimEnd();
}

/** The question that the conversation ends with, when it ends with one. */
function openQuestion(
  messages: readonly Message[],
): { actions: readonly Action[]; at: number; ask: Extract<Action, { do: "ask" }> } | undefined {
  const answer = messages.at(-1);
  const asked = messages.findLastIndex(({ role }) => role === "user");
  if (answer?.role !== "assistant" || asked === -1) return undefined;
  const script = scriptAt(messages, asked);
  if ("line" in script) return undefined;
  const words = contentText(answer.content);
  for (const [at, action] of script.actions.entries()) {
    if (action.do === "ask" && words.endsWith(action.text))
      return { actions: script.actions, at, ask: action };
  }
  return undefined;
}

function chosen(text: string, choices: readonly string[]): string | undefined {
  const answer = text.trim();
  if (choices.length === 0) return answer;
  const named = choices.find((choice) => choice.toLowerCase() === answer.toLowerCase());
  return named ?? (/^\d+$/.test(answer) ? choices[Number(answer) - 1] : undefined);
}

function lastCall(
  messages: readonly Message[],
  after: number,
): { action: number; result: ToolMessage } | undefined {
  for (let index = messages.length - 1; index > after; index -= 1) {
    const message = messages[index];
    if (message?.role !== "tool") continue;
    const action = /^script_(\d+)_/.exec(message.toolCallId)?.[1];
    if (action !== undefined) return { action: Number(action), result: message };
  }
  return undefined;
}

/** The actions of a text, one command a line, or the first invalid line. */
function compile(text: string): Action[] | NotUnderstood {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  const actions: Action[] = [];
  const known = new Set<string>();
  if (lines.length === 0) return notUnderstood("");
  for (const line of lines) {
    const command = parseCommand(line);
    if (!command) return notUnderstood(line.trim());
    actions.push(...actionsOf(command, line.trim(), known));
  }
  return actions;
}

function notUnderstood(line: string): NotUnderstood {
  return { line, closest: closestCommands(line) };
}

/** `known`: the files that the script has read or written before, and may therefore change. */
function actionsOf(command: OfflineCommand, line: string, known: Set<string>): Action[] {
  const call = (tool: string, args: ToolArgs): Action => ({ do: "call", tool, args, line });
  switch (command.verb) {
    case "list":
      return [call("Glob", { pattern: command.glob })];
    case "read":
      known.add(command.path);
      return [call("Read", { filePath: command.path })];
    case "find": {
      const args: ToolArgs = { pattern: literal(command.text), outputMode: "content" };
      return [call("Grep", command.glob === undefined ? args : { ...args, glob: command.glob })];
    }
    case "write":
      known.add(command.path);
      return [call("Write", { filePath: command.path, content: command.text })];
    case "replace": {
      const { path, from, to } = command;
      const edit = call("Edit", { filePath: path, oldString: from, newString: to });
      if (known.has(path)) return [edit];
      known.add(path);
      // Files are changed only after they were read.
      return [{ do: "call", tool: "Read", args: { filePath: path }, line: `read ${path}` }, edit];
    }
    case "run":
      return [call("Bash", { command: command.command })];
    case "fetch":
      return [call("WebFetch", { url: command.url })];
    case "search":
      return [call("WebSearch", { query: command.query })];
    case "delegate":
      return [
        call("Agent", {
          subagent_type: command.agent,
          prompt: command.task,
          ...defined({ run_in_background: command.isBackground || undefined }),
        }),
      ];
    case "plan":
      return planned(command.items, known);
    case "ask":
      return [
        {
          do: "ask",
          text: questionText(command.question, command.choices),
          choices: command.choices,
        },
      ];
    case "long":
      return [{ do: "fill", tokens: command.tokens }];
    case "slow":
      return [{ do: "wait", ms: command.ms }];
    case "fail":
      return [{ do: "fail", with: command.with }];
    case "help":
      return [{ do: "say", text: helpText() }];
  }
}

function planned(items: readonly string[], known: Set<string>): Action[] {
  const steps = items.map((item) => ({ item, command: parseCommand(item) }));
  const list = steps.map(({ item, command }, index) => {
    // A plan inside of a plan would be done without being shown.
    const note = command && command.verb !== "plan" ? "" : " (a note: no command)";
    return `${index + 1}. ${item}${note}`;
  });
  const actions: Action[] = [{ do: "say", text: `Plan:\n${list.join("\n")}` }];
  for (const { item, command } of steps) {
    if (command && command.verb !== "plan") actions.push(...actionsOf(command, item, known));
  }
  return actions;
}

function questionText(question: string, choices: readonly string[]): string {
  return [question, ...choices.map((choice, index) => `${index + 1}. ${choice}`)].join("\n");
}

function helpText(): string {
  const lines = offlineCommands.map(({ usage, does }) => `- \`${usage}\`: ${does}`);
  return ["I'm a script, not a model. I do what these commands say, one a line:", ...lines].join(
    "\n",
  );
}

/** A pattern that matches exactly this text. */
function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
