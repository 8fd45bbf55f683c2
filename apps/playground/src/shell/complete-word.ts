/** The line up to the cursor after completion, and the names that it can go on with. */
export interface Completion {
  readonly before: string;
  /** Empty when there is one, or none. */
  readonly choices: readonly string[];
}

/** The unquoted word that a text ends with. */
const WORD = /(?:[^\s'"`\\|&;<>(){}$]|\\.)*$/;
/** Where a command is expected. */
const BEGINS_COMMAND = /(?:^|[|&;({])\s*$/;
/** Characters that the shell takes as they are. */
const PLAIN = /[^\w@%+=:,./-]/g;

/**
 * Completes the word that `before` ends with, as the shell's own `compgen` does: by a command where one begins, by a path
 * anywhere else. `run` resolves to what a command line prints.
 */
export async function completeWord(
  before: string,
  run: (command: string) => Promise<string>,
): Promise<Completion> {
  const [word = ""] = WORD.exec(before) ?? [];
  const start = before.slice(0, before.length - word.length);
  // Names inside of quotes and variables are not read here.
  if (/['"`$]$/.test(start)) return { before, choices: [] };
  const typed = word.replace(/\\(.)/g, "$1");
  const isCommand = BEGINS_COMMAND.test(start) && !typed.includes("/");
  const names = isCommand ? await generated(run, "-c", typed) : await paths(run, typed);
  const [first] = names;
  if (first === undefined) return { before, choices: [] };
  const common = names.reduce(sharedStart, first);
  const end = names.length > 1 || first.endsWith("/") ? "" : " ";
  const isLonger = common.length > typed.length;
  return {
    before: start + (isLonger || end ? escaped(common) : word) + end,
    choices: names.length > 1 && !isLonger ? names.map(lastPart) : [],
  };
}

/** Paths that begin with `typed`, directories with a slash. Hidden ones are shown to those who ask for them. */
async function paths(run: (command: string) => Promise<string>, typed: string): Promise<string[]> {
  const [all, directories] = await Promise.all([
    generated(run, "-f", typed),
    generated(run, "-d", typed),
  ]);
  const isDirectory = new Set(directories);
  const shown = all.filter(
    (path) => !lastPart(path).startsWith(".") || lastPart(typed).startsWith("."),
  );
  return shown.map((path) => (isDirectory.has(path) ? `${path}/` : path));
}

async function generated(
  run: (command: string) => Promise<string>,
  kind: string,
  typed: string,
): Promise<string[]> {
  const output = await run(`compgen ${kind} -- '${typed.replaceAll("'", String.raw`'\''`)}'`);
  return [...new Set(output.split("\n").filter(Boolean))].sort();
}

function sharedStart(one: string, other: string): string {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return one.slice(0, length);
}

/** The name at the end of a path. */
function lastPart(path: string): string {
  return path.slice(path.lastIndexOf("/", path.length - 2) + 1);
}

function escaped(text: string): string {
  return text.replace(PLAIN, String.raw`\$&`);
}
