import { type Component, Text, type TUI, visibleWidth } from "@earendil-works/pi-tui";
import type { PermissionRequest } from "@robota/runtime";
import { type GrantScope, type PermissionAnswer, visibleText } from "@robota/runtime/permissions";
import { HangingText } from "./hanging-text.ts";
import { Menu, type MenuItem } from "./menu.ts";
import { Question } from "./question.ts";
import { styledDiff } from "./styled-diff.ts";
import type { Theme } from "./theme.ts";

export interface ApprovalOptions {
  tui: TUI;
  theme: Theme;
  request: PermissionRequest;
  /** True where a person may change the call: not for a session on a server. */
  canEdit: boolean;
  /** True when a person was typing as the request came. */
  wasTyping: boolean;
  /** Puts another part of the dialog in its place. */
  show: (component: Component) => void;
  answer: (answer: PermissionAnswer) => void;
  /** The person wants the turn to stop instead. */
  onStop: () => void;
  /** The person wants to give a command first. */
  onCommand: () => void;
}

/** Columns of a menu's line beside its label: the arrow, the number and the edge. */
const MENU_MARGIN = 7;
/** Arguments up to here are shown also where a change has them. */
const SHORT_ARGUMENT = 100;

const SCOPES: readonly { scope: GrantScope; label: string }[] = [
  { scope: "turn", label: "Until this turn ends" },
  { scope: "session", label: "For this session" },
  { scope: "workspace", label: "In this workspace, from now on" },
];

/** Shows a request for permission with everything that it would do, and asks for an answer. */
export function showApproval(options: ApprovalOptions): void {
  const { theme, request, wasTyping, show, onStop, onCommand } = options;
  const items = choicesOf(options);
  const deny = items.findIndex(({ label }) => label === "Deny");
  const menu = new Menu({
    theme,
    above: [...aboutRequest(request, theme), ...longPattern(options)],
    items,
    // A person who only presses Enter has allowed nothing.
    selected: deny,
    wasTyping,
    keys: { "/": onCommand },
    hint: `${wasTyping ? "↑↓ or a digit first, then Enter" : "Digits or ↑↓ and Enter to choose"} · / for a command · Esc to stop the turn`,
    onCancel: onStop,
  });
  show(menu);
}

function choicesOf(options: ApprovalOptions): MenuItem[] {
  const { request, canEdit, answer } = options;
  const { suggestedPattern, args } = request;
  const { command } = args;
  const items: MenuItem[] = [{ label: "Allow once", choose: () => answer({ allow: true }) }];
  if (suggestedPattern !== undefined) {
    const pattern = visibleText(suggestedPattern, { singleLine: true });
    const session = { allow: true, scope: "session", pattern: suggestedPattern } as const;
    const label = isLong(pattern, options)
      ? "Allow this pattern in the session"
      : allowLabel(pattern);
    items.push(
      { label, choose: () => answer(session) },
      { label: "Allow another pattern…", choose: () => askForPattern(suggestedPattern, options) },
    );
  }
  items.push(
    { label: "Deny", choose: () => answer({ allow: false }) },
    { label: "Deny and say why…", choose: () => askForReason(options) },
  );
  if (canEdit && typeof command === "string")
    items.push({ label: "Edit the command…", choose: () => askForCommand(command, options) });
  return items;
}

function allowLabel(pattern: string): string {
  return `Allow ${pattern} for this session`;
}

/** Reports whether a choice that names the pattern would be cut: menus have one line for each. */
function isLong(pattern: string, { tui }: ApprovalOptions): boolean {
  return visibleWidth(allowLabel(pattern)) > tui.terminal.columns - MENU_MARGIN;
}

/** The whole pattern that the menu only mentions: nobody allows what they can't read. */
function longPattern(options: ApprovalOptions): Component[] {
  const { theme, request } = options;
  const pattern = visibleText(request.suggestedPattern ?? "", { singleLine: true });
  if (!isLong(pattern, options)) return [];
  return [new Text(`  ${theme.dim("pattern:")} ${pattern}`, 0, 0)];
}

/** The asker, its call and the reason, with invisible characters written out. */
function aboutRequest(
  { tool, args, reason, preview, agent }: PermissionRequest,
  theme: Theme,
): Component[] {
  const line = (text: string): string => visibleText(text, { singleLine: true });
  const who = agent ? `The agent ${agent.type} wants to use ${tool}` : `${tool} wants to run`;
  const changes = preview?.changes ?? [];
  const shownArgs = Object.entries(args).filter(([, value]) => !isSeenIn(changes, value));
  const call = [
    theme.bold(theme.warning(`● ${line(who)}`)),
    ...shownArgs.map(([name, value]) => argument(name, value, theme)),
  ];
  const rest = [
    ...(preview?.note ? [visibleText(preview.note)] : []),
    ...(preview?.protectedFiles ?? []).map((path) =>
      theme.warning(`Writes the protected file ${line(path)}`),
    ),
    theme.dim(line(reason)),
  ];
  const shown = (texts: readonly string[]): Component[] =>
    texts.map((text) => new Text(text, 0, 0));
  return [
    ...shown(call),
    ...changes.map((change) => new HangingText(styledDiff(change, theme))),
    ...shown(rest),
  ];
}

/** Reports whether a long text is shown better by the change that it makes. */
function isSeenIn(
  changes: readonly { before: string | null; after: string | null }[],
  value: unknown,
): boolean {
  if (typeof value !== "string" || value.length <= SHORT_ARGUMENT) return false;
  return changes.some(({ before, after }) => before?.includes(value) || after?.includes(value));
}

function argument(name: string, value: unknown, theme: Theme): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return `  ${theme.dim(`${visibleText(name)}:`)} ${visibleText(text).replaceAll("\n", "\n    ")}`;
}

function askForPattern(suggested: string, options: ApprovalOptions): void {
  ask(options, "Allow calls that match", suggested, (pattern) => askForScope(pattern, options));
}

function askForScope(pattern: string, options: ApprovalOptions): void {
  const { theme, show, answer } = options;
  const menu = new Menu({
    theme,
    above: [new Text(theme.bold(`Allow ${visibleText(pattern, { singleLine: true })}`), 0, 0)],
    items: SCOPES.map(({ scope, label }) => ({
      label,
      choose: () => answer({ allow: true, scope, pattern }),
    })),
    hint: "Esc to go back",
    onCancel: () => showApproval(options),
  });
  show(menu);
}

function askForReason(options: ApprovalOptions): void {
  ask(options, "Deny, and tell the model", "", (reason) =>
    options.answer({ allow: false, reason }),
  );
}

function askForCommand(command: string, options: ApprovalOptions): void {
  const { args } = options.request;
  ask(options, "Run this instead", command, (changed) =>
    options.answer({ allow: true, updatedArgs: { ...args, command: changed } }),
  );
}

function ask(
  options: ApprovalOptions,
  title: string,
  initial: string,
  take: (text: string) => void,
): void {
  const { tui, theme, show } = options;
  const back = (): void => showApproval({ ...options, wasTyping: false });
  const onAnswer = (text: string): void => (text.trim() === "" ? back() : take(text.trim()));
  show(new Question({ tui, theme, title, initial, onAnswer, onCancel: back }));
}
