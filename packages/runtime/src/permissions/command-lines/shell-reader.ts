import { launchesOf } from "./shell-wrappers.ts";
import { isUnreadable } from "./unreadable/unreadable-command.ts";
import { knownNames } from "./unreadable/known-names.ts";
import { rewritten, type Variables, variablesOf } from "./shell-rewrite.ts";
import { readText, type Redirect } from "./shell-text.ts";
import { RESERVED_WORDS } from "./shell-words.ts";

/** The commands that a text may run, read generously: for refusals only, never as a proof. */
export interface PossibleCommands {
  commands: (readonly string[])[];
  redirects: Redirect[];
  /** False when the text is too entangled to be read to its end. */
  isComplete: boolean;
  /** True when some part runs code that its text does not show: a command from a variable, code of another language. */
  isOpaque: boolean;
}

/** Units of work (characters and words) that a short text may take. Long texts get more. */
const WORK = 500_000;

/**
 * Every command a line may run, including indirect ones: behind assignments and wrappers such as `env` or `sudo`, in
 * substitutions also within double quotes, in texts for `sh -c` or `eval`, and by its plain name when called by a path.
 * Aliases, globs and scripts are not resolved here.
 */
export function possibleCommands(command: string): PossibleCommands {
  const top = variablesOf(readText(command).commands);
  const all = new Map([...top].map(([name, values]) => [name, [...values]]));
  const before = sizeOf(all);
  const found = readAll(command, top, all);
  // Texts within the line, such as that of `eval`, set more for what was read before them.
  return sizeOf(all) === before ? found : readAll(command, top, all);
}

function sizeOf(variables: Variables): number {
  return [...variables.values()].flat().length;
}

/** `top`: what the line itself sets. `all` receives what texts within it set. */
function readAll(command: string, top: Variables, all: Map<string, string[]>): PossibleCommands {
  const found: PossibleCommands = {
    commands: [],
    redirects: [],
    isComplete: true,
    isOpaque: false,
  };
  const texts: Text[] = [{ text: command }];
  // A quote in a comment or a here-document pairs with nothing, so there each line is also read by itself.
  if (/#|<</.test(command) && command.includes("\n")) texts.push(...asTexts(command.split("\n")));
  const known = knownNames(command, readText(command).commands, top);
  const values = { variables: top, known };
  let work = WORK + 8 * command.length;

  let hasListened = false;
  const next = (): Text | undefined => {
    if (texts.length === 0 && !hasListened && readsCommands(found.commands)) {
      hasListened = true;
      texts.push(...asTexts(spokenTexts(found.commands)));
    }
    return texts.pop();
  };
  for (let given = next(); given !== undefined; given = next()) {
    const { text, isGuess } = given;
    work -= text.length;
    if (work < 0) return { ...found, isComplete: false };
    const { commands, redirects, nested } = readText(text);
    variablesOf(commands, all);
    texts.push(...asTexts(nested, isGuess));
    for (const redirect of redirects) {
      const forms = redirectForms(redirect, all);
      if (!forms) return { ...found, isComplete: false };
      found.redirects.push(redirect, ...forms);
      for (const { target } of forms) work -= target.length;
    }
    texts.push(
      ...redirects
        .filter(({ operator }) => operator === "<<<")
        .map(({ target }) => ({ text: target, isGuess: true })),
    );
    const pending: (readonly string[])[] = [...commands];
    for (const words of commands) {
      const forms = rewritten(words, all);
      if (!forms) return { ...found, isComplete: false };
      for (const form of forms) work -= form.length;
      pending.push(...forms);
    }
    for (let words = pending.pop(); words !== undefined; words = pending.pop()) {
      if (words.length === 0) continue;
      found.commands.push(words);
      found.isOpaque ||= isUnreadable(words, values, isGuess);
      const [first = ""] = words;
      if (RESERVED_WORDS.has(first)) pending.push(words.slice(1));
      if (first === "function" || first === "coproc") pending.push(words.slice(2));
      work -= words.length;
      if (work < 0) return { ...found, isComplete: false };
      for (const launch of launchesOf(words)) {
        work -= "text" in launch ? launch.text.length : launch.words.length;
        if (work < 0) return { ...found, isComplete: false };
        if ("text" in launch) texts.push(isGuess ? { ...launch, isGuess } : launch);
        else pending.push(launch.words);
      }
    }
  }
  return found;
}

/** Other files that a redirection may be to. */
function redirectForms(
  { operator, target }: Redirect,
  variables: Variables,
): Redirect[] | undefined {
  if (operator.startsWith("<<")) return [];
  return rewritten([target], variables)?.flatMap((words) =>
    words.map((word) => ({ operator, target: word })),
  );
}

/** A text that a shell may read; `isGuess` when it is more likely something else, such as a part of a program. */
interface Text {
  text: string;
  isGuess?: boolean;
}

function asTexts(texts: readonly string[], isGuess = false): Text[] {
  return texts.map((text) => ({ text, isGuess }));
}

/** Reports whether a shell in the line reads commands from another one's output. */
function readsCommands(commands: readonly (readonly string[])[]): boolean {
  return commands.some(
    ([name = "", ...args]) =>
      /(?:^|\/)(?:ba|z|da|k|a|fi|c|tc)?sh$/.test(name) &&
      (args.every((arg) => arg.startsWith("-") || arg === "/dev/stdin") ||
        args.some((arg) => /^-\w*s/.test(arg))) &&
      !args.some((arg) => /^-\w*c/.test(arg)),
  );
}

/** The output of `echo` and the like, which may be such a shell's input. */
function spokenTexts(commands: readonly (readonly string[])[]): string[] {
  return commands.flatMap(([name = "", ...args]) =>
    /(?:^|\/)(?:echo|printf|print|cat)$/.test(name)
      ? [args.join(" "), ...args].map((text) => text.replaceAll("\\n", "\n"))
      : [],
  );
}
