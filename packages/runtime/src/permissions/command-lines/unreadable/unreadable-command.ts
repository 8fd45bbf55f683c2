import { commandName } from "../shell-launchers.ts";
import { BRACES, MAX_FORMS, type Variables } from "../shell-rewrite.ts";
import { readsItsCommand } from "../shell-wrappers.ts";

const SHELL = /^(?:ba|z|da|k|a|fi|c|tc|rba)?sh$/;
/** Programs that run code of their own language. */
const INTERPRETER =
  /^(?:python|pypy|node|nodejs|bun|deno|tsx|perl|ruby|php|lua|luajit|osascript|tclsh|wish|expect|Rscript|R|julia|guile|racket|sbcl|clisp|ocaml|swift|gnuplot|octave|elixir|iex|erl|groovy|scala|jshell|ghci|runghc|irb|m4|dc|pwsh|powershell)[\d.]*$/;
/** Commands that evaluate arithmetic, and so run substitutions in a subscript. */
const CALCULATING =
  /^(?:\[\[|let|printf|test|\[|read|declare|typeset|local|export|readonly|unset|mapfile|readarray|getopts|wait)$/;
const ASSIGNMENT = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/;
/** Longer editing scripts are not examined. */
const MAX_SCRIPT = 2000;

/** Possible values of names, as far as a line sets them. */
export interface Values {
  variables: Variables;
  /** The names whose values are certain. */
  known: ReadonlySet<string>;
}

/**
 * Reports whether a command runs something that its words do not show. A line with such a part can't be proven to
 * follow deny rules for commands. For words that are only possibly a command (`isGuess`), a file name pattern tells
 * nothing.
 */
export function isUnreadable(words: readonly string[], values: Values, isGuess = false): boolean {
  const [path = "", ...args] = words;
  if (words.some((word) => /\$\{!|@[PQEAaKkUuL]\}/.test(word))) return true;
  if (ASSIGNMENT.test(path) ? isUnknownValue(path, values.variables) : isHidden(path, values.known))
    return true;
  if (!isGuess && isPattern(path)) return true;
  const name = commandName(path);
  if (SHELL.test(name))
    return args.every((arg) => arg.startsWith("-")) || hasExpansion(args) || args.some(isStream);
  if (readsItsCommand([name, ...args])) return true;
  if (name === "eval") return hasExpansion(args);
  if (/^(?:\.|source|at|batch)$/.test(name)) return true;
  if (name === "crontab") return !args.some((arg) => /^-[lr]$/.test(arg));
  if (name === "shopt") return args.includes("extglob");
  if (INTERPRETER.test(name)) return runsCode(args);
  if (/^g?make$/.test(name)) return lacksFile(args) || args.some(isMakefile);
  if (name === "git") return args.some((arg) => /^(?:-c)?alias\./i.test(arg));
  if (CALCULATING.test(name)) return calculates(name, args);
  if (/^g?sed$/.test(name)) return args.some(runsWhatItReads) || lacksFile(args);
  return (
    /^(?:[gmn]?awk|original-awk)$/.test(name) &&
    (args.some((arg) => /system|\||@/.test(arg)) || lacksFile(args))
  );
}

/** Reports whether a name is an expansion, other than a plain `$name` with a certain value. */
function isHidden(path: string, known: ReadonlySet<string>): boolean {
  const bare = /^\$(?:(\w+)|\{(\w+)\})$/.exec(path);
  if (bare) return !known.has(bare[1] ?? bare[2] ?? "");
  return /`|\$[\w({@*#?!-]/.test(path);
}

/** Reports whether a shell replaces this name by others. */
function isPattern(path: string): boolean {
  if (ASSIGNMENT.test(path)) return false;
  return (
    /[*?]|\{\}/.test(path) || BRACES.test(path) || (path.includes("[") && !/^\[\[?$/.test(path))
  );
}

/** Reports whether an assignment's value is not in the line. */
function isUnknownValue(assignment: string, variables: Variables): boolean {
  if (/`|\$\(/.test(assignment)) return true;
  const used = [...assignment.matchAll(/\$\{?(\w+)/g)].map(([, variable = ""]) => variable);
  const counts = used.map((name) =>
    name === "IFS" ? 1 : (variables.get(name)?.length ?? Infinity),
  );
  // Not every pair of values is tried.
  return counts.some((count) => count >= (used.length > 1 ? 2 : MAX_FORMS));
}

/** Reports whether an interpreter takes its code from the command line or from another command's output. */
function runsCode(args: readonly string[]): boolean {
  const operand = args.findIndex((arg) => !arg.startsWith("-"));
  const options = operand < 0 ? args : args.slice(0, operand);
  return (
    args.length === 0 ||
    args.some((arg) => /^(?:-|-\w*[ceEr]|--eval|--print)$/.test(arg) || isStream(arg)) ||
    options.some((arg) => /^(?:-[A-Za-z]*[ceE]|--(?:eval|print)=)/.test(arg))
  );
}

/** Reports whether a builtin evaluates a subscript with a substitution. */
function calculates(name: string, args: readonly string[]): boolean {
  const isNaming = /^(?:printf|test|\[)$/.test(name);
  if (isNaming && !args.some((arg) => /^-[vR]/.test(arg))) return false;
  return args.some((arg) => /\w\[[^\]]*(?:\$[({]|`)/.test(arg));
}

/**
 * Reports whether the file behind the last option is written by the line itself, such as `<(…)`, which is not a word.
 */
function lacksFile(args: readonly string[]): boolean {
  return /^-\w*f$|^--(?:file|makefile)$/.test(args.at(-1) ?? "") || args.some(isStream);
}

function isStream(arg: string): boolean {
  return /^(?:-f)?(?:\/dev\/(?:stdin|fd\/)|\/proc\/self\/fd\/)/.test(arg);
}

/** Reports whether an argument of `make` contains rules, or sets the shell that runs them. */
function isMakefile(arg: string): boolean {
  return /^(?:--ev|-\w*E|-f-$|-$|SHELL\s*[:+?]?=)/.test(arg);
}

/** Reports whether an editing script has an `e` without a command, which runs the pattern space. */
function runsWhatItReads(script: string): boolean {
  return (
    /(?:^|[;{}\d$/\n!\s])e\s*(?:[;}\n]|$)/.test(script.replace(/^-.*/s, "")) ||
    script.length > MAX_SCRIPT ||
    /(?:^|[^A-Za-z]|[IM])s([^\w\s])(?:(?:\\.|(?!\1)[^\\])*\1){2}[gpiImM\d]*e/s.test(script)
  );
}

function hasExpansion(args: readonly string[]): boolean {
  return args.some((arg) => /[$`]/.test(arg));
}
