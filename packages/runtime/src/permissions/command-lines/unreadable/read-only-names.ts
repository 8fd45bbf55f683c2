import { commandName, isBeyondProof, unwrapped } from "../shell-launchers.ts";
import { type PlainCommand, plainCommands } from "../shell-words.ts";

/** Commands that run nothing, whatever their words are, and write only to their output. */
const PURE: ReadonlySet<string> = new Set(
  (
    "echo cat head tail wc ls tree du df realpath readlink cut uniq comm diff cmp nl paste fold column rev tac strings od " +
    "hexdump md5sum sha1sum sha256sum cksum basename dirname tr pwd true false : id sleep seq which type cd grep egrep fgrep"
  ).split(" "),
);
/** The same, unless an option says otherwise. */
const READERS: ReadonlySet<string> = new Set(
  "printf test [ stat file find rg sort date jq".split(" "),
);
/** Subcommands of Git that take their words as names and texts. */
const GIT =
  /^(?:add|blame|branch|checkout|commit|describe|diff|grep|log|ls-files|merge|mv|restore|rev-parse|shortlog|show|stash|status|switch|tag)$/;
const XARGS = /^(?:-[0rt]+|-[nLP]\d+|-I\S+)$/;
/** Commands whose effect extends to later ones: where output goes, what names mean. */
const CHANGES_OTHERS =
  /^(?:exec|alias|shopt|enable|hash|set|trap|declare|typeset|export|readonly|local|eval|source|\.|bind|complete|unset|.*=.*)$/s;
const HARMLESS_TARGET = /^\/dev\/(?:null|stdout|stderr)$/;

export type IsReadOnly = (words: readonly string[], hasGlob: boolean) => object | undefined;

/**
 * The read-only commands of a line, in order, whose output only such commands read: their input is not executed.
 * `undefined` when the line is not plain enough to separate its commands.
 */
export function readOnlyCommands(line: string, isReadOnly?: IsReadOnly): boolean[] | undefined {
  // A variable may expand to several words of its command, but not to an operator.
  const commands = plainCommands(line.replaceAll(/\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\})/g, "v"));
  if (!commands || commands.some(({ words: [name = ""] }) => CHANGES_OTHERS.test(name)))
    return undefined;
  const hasVariables = line.includes("$");
  const readOnly = commands.map((command) => isReadOnlyCommand(command, hasVariables, isReadOnly));
  for (let index = commands.length - 1; index >= 0; index--) {
    if (commands[index]?.isPiped && !readOnly[index + 1]) readOnly[index] = false;
  }
  return readOnly;
}

function isReadOnlyCommand(
  { words, redirects, hasGlob }: PlainCommand,
  hasVariables: boolean,
  isReadOnly?: IsReadOnly,
): boolean {
  if (redirects.some(({ operator, target }) => operator !== "<" && !HARMLESS_TARGET.test(target)))
    return false;
  const inner = withoutXargs(unwrapped(words));
  const [path = "", subcommand = ""] = inner;
  const name = commandName(path);
  if (PURE.has(name)) return true;
  if (hasVariables || inner.length < words.length || isBeyondProof(inner))
    return !hasVariables && isReadOnly?.(inner, hasGlob) !== undefined;
  return READERS.has(name) || (name === "git" && GIT.test(subcommand));
}

function withoutXargs(words: readonly string[]): readonly string[] {
  if (words[0] !== "xargs") return words;
  const start = words.findIndex((word, index) => index > 0 && !XARGS.test(word));
  return start < 0 ? words : words.slice(start);
}
