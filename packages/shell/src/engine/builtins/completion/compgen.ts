import { separatorsOf } from "../../expand/expansion.ts";
import { expandGlob } from "../../expand/glob.ts";
import { singleQuoted } from "../../expand/quoting.ts";
import { expandWords } from "../../expand/words.ts";
import { parseWords } from "../../parse/parser.ts";
import { matches } from "../../patterns/match.ts";
import { parsePattern } from "../../patterns/pattern.ts";
import { callFunction } from "../../run/functions.ts";
import { filesOf, print, type Process, report } from "../../run/process.ts";
import { hostOf } from "../../run/substitution.ts";
import { listValues } from "../../state/access.ts";
import { withTexts } from "../builtin.ts";
import { isAction, namesOfActions } from "./actions.ts";
import { readSpecification, type Specification } from "./specification.ts";

/** `compgen`: the completions of a word by the specification in its options. */
export const compgen = withTexts(async (process, args) => {
  const given = readSpecification(args, { flags: "", isAction });
  if (given.problem !== undefined) {
    await report(process, `compgen: ${given.problem}`);
    return 2;
  }
  if (args.length === 0) return 0;
  const [word = ""] = given.rest;
  const found = await completionsOf(process, given, word);
  await print(process, 1, found.map((name) => `${name}\n`).join(""));
  return found.length > 0 ? 0 : 1;
});

async function completionsOf(
  process: Process,
  spec: Specification,
  word: string,
): Promise<string[]> {
  const { texts, options, actions } = spec;
  // Not by spreading into `push`: many would overflow the stack.
  let found = await namesOfActions(process, actions, word);
  const pattern = texts.get("G");
  if (pattern !== undefined) found = found.concat(await pathsLike(process, pattern));
  const words = texts.get("W");
  if (words !== undefined)
    found = found.concat((await wordsOf(process, words)).filter((one) => one.startsWith(word)));
  const name = texts.get("F");
  if (name !== undefined) found = found.concat(await answersOf(process, name, word));
  const command = texts.get("C");
  if (command !== undefined) found = found.concat(await linesOf(process, command, word));
  const kept = filtered(found, texts.get("X"), word).map(
    (one) => (texts.get("P") ?? "") + one + (texts.get("S") ?? ""),
  );
  const hasDirectories = options.has("plusdirs") || (options.has("dirnames") && kept.length === 0);
  if (!hasDirectories) return kept;
  return [...kept, ...(await namesOfActions(process, new Set(["directory"]), word))];
}

/** Leaves out what matches a pattern, in which `&` is the word; with a `!` before it, anything else. */
function filtered(found: readonly string[], filter: string | undefined, word: string): string[] {
  if (filter === undefined) return [...found];
  const isInverse = filter.startsWith("!");
  const source = filter
    .slice(isInverse ? 1 : 0)
    .replace(/\\?&/g, (mark) => (mark === "&" ? word.replace(/[\\*?[]/g, String.raw`\$&`) : "&"));
  const pattern = parsePattern(source, { hasExtendedPatterns: true });
  return found.filter((one) => matches(pattern, one, {}) === isInverse);
}

function pathsLike(process: Process, pattern: string): Promise<string[]> {
  const { cwd, options } = process.state;
  return expandGlob(pattern, { files: filesOf(process), cwd, options, ignored: "" });
}

/** The words of `-W`, expanded but for patterns. */
async function wordsOf(process: Process, list: string): Promise<string[]> {
  const { state } = process;
  const hadPatterns = !state.options.has("noglob");
  state.options.add("noglob");
  try {
    return await expandWords(parseWords(list, separatorsOf(state)), hostOf(process));
  } finally {
    if (hadPatterns) state.options.delete("noglob");
  }
}

/** Words that a function leaves in `COMPREPLY`. */
async function answersOf(process: Process, name: string, word: string): Promise<string[]> {
  const { state } = process;
  await report(process, "compgen: warning: -F option may not work as you expect");
  if (!state.functions.has(name)) {
    await report(process, `completion: function \`${name}' not found`);
    return [];
  }
  await callFunction(process, name, ["compgen", word, ""]);
  const answers = listValues(state, "COMPREPLY");
  state.variables.delete("COMPREPLY");
  return [...answers];
}

/** Lines that a command prints. */
async function linesOf(process: Process, command: string, word: string): Promise<string[]> {
  await report(process, "compgen: warning: -C option may not work as you expect");
  const args = ["compgen", word, ""].map((arg) => singleQuoted(arg)).join(" ");
  const body = { source: `${command} ${args}` };
  const text = await hostOf(process).substitute({
    type: "command",
    body,
    line: process.state.line,
  });
  return text.split("\n").filter(Boolean);
}
