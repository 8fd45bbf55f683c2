import type { PermissionMode } from "@robota/runtime";
import { wordsOf } from "./describe-tool.ts";

/** The modes as the menu of the message box names them. */
export const modeNames: Readonly<Record<PermissionMode, string>> = {
  plan: "Plan",
  default: "Ask first",
  acceptEdits: "Accept edits",
  bypassPermissions: "Allow all",
};

/** Each mode, and what it lets run without a question. */
const allowances: Readonly<Record<PermissionMode, string>> = {
  plan: "“Plan” mode allows what changes nothing",
  default: "“Ask first” mode allows what changes nothing",
  acceptEdits: "“Accept edits” mode allows reading and changing files",
  bypassPermissions: "“Allow all” mode allows whatever no rule objects to",
};

/** The clause behind "because" for a decision that nobody was asked about; `undefined` for another reason. */
export function becauseOf(reason: string): string | undefined {
  const [, mode, verb] =
    /^The mode (\w+) (allows it|forbids it|forbids changes)\.$/.exec(reason) ?? [];
  if (isMode(mode))
    return verb === "allows it" ? allowances[mode] : `“${modeNames[mode]}” mode allows no changes`;
  if (reason === "It is read-only within the workspace.")
    return "it only reads files of the workspace";
  return undefined;
}

/** Why a person is asked about a call, or why it was decided, without the names of the engine. */
export function reasonWords(reason: string, tool: string): string {
  const [, mode] = /^No rule covers it, and the mode (\w+) asks for approval\.$/.exec(reason) ?? [];
  if (isMode(mode)) {
    const subject = wordsOf(tool)?.subject ?? "tools that may change something";
    return `No rule matches. “${modeNames[mode]}” mode asks before ${subject}.`;
  }
  if (/^The hook \w+ decided so\.$/.test(reason)) return "A hook decided so, and gave no reason.";
  const because = becauseOf(reason);
  return because ? `${because[0]?.toUpperCase()}${because.slice(1)}.` : reason;
}

/** Where a rule stands. Settings files are named by their paths. */
export function placeOf(layer: string): string {
  const [, skill] = /^skill (.+)$/.exec(layer) ?? [];
  return skill === undefined ? (places[layer] ?? layer) : `the skill ${skill}`;
}

const places: Readonly<Record<string, string>> = {
  session: "your answers in this session",
  workspace: "your answers in this workspace",
  host: "your settings",
  program: "the playground’s own rules",
  invocation: "the settings that this session was started with",
  environment: "the environment of the program",
};

function isMode(name: string | undefined): name is PermissionMode {
  return name !== undefined && Object.hasOwn(modeNames, name);
}
