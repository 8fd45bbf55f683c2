import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { type Answer, ENVIRONMENT, PROGRAMS, WRAPPER } from "./answers.ts";
import { EXECUTABLE, FILES } from "./grammar/script.ts";

/** What each line of a trace begins with, once for each level; no script has this character. */
const MARK = "\u{e000}";
/** Without an end of a script for so long, the one that runs hangs. */
const HANG_MS = 20_000;

/** On one line, as the script of our shell is, so that both count lines alike. */
const DRIVER = [
  "number__=0; while IFS= read -r -d '' -u 8 SCRIPT__",
  'do cd "$ROOT__/$number__/w"',
  `( exec 8<&- 7>&-; export -n SCRIPT__ ROOT__ MARK__; PS4=$MARK__ BASH_XTRACEFD=9; set -x; ${WRAPPER} ) >../stdout 2>../stderr </dev/null 9>>../trace`,
  'echo "$number__ $?" >&7; number__=$((number__ + 1)); done',
].join("; ");

/** Real bash, in a throw-away directory with few programs in reach. */
export interface Bash extends Disposable {
  /** The answers of the scripts; `undefined` for one that does not end. */
  run(scripts: readonly string[]): Promise<(Answer | undefined)[]>;
}

function found(program: string): string | undefined {
  const path = (process.env.PATH ?? "").split(delimiter);
  return path.map((folder) => join(folder, program)).find((file) => existsSync(file));
}

export function isBashHere(): boolean {
  return process.platform === "linux" && ["bash", ...PROGRAMS].every((name) => found(name));
}

export function openBash(): Bash {
  const root = mkdtempSync(join(tmpdir(), "robota-scripts-"));
  const bin = join(root, "bin");
  mkdirSync(bin);
  for (const name of [...PROGRAMS, "bash"]) symlinkSync(found(name) ?? "", join(bin, name));
  let batches = 0;
  const runBatch = async (scripts: readonly string[]): Promise<Answer[]> => {
    const place = join(root, `b${++batches}`);
    scripts.forEach((_, number) => writeFiles(join(place, String(number), "w")));
    writeFileSync(join(place, "scripts"), scripts.map((text) => `${text}\0`).join(""));
    const statuses = await drive(place, bin);
    const answers = statuses.map((status, number) => answerIn(join(place, String(number)), status));
    rmSync(place, { recursive: true, force: true });
    return answers;
  };
  return {
    async run(scripts) {
      const answers: (Answer | undefined)[] = [];
      while (answers.length < scripts.length) {
        answers.push(...(await runBatch(scripts.slice(answers.length))));
        if (answers.length < scripts.length) answers.push(undefined);
      }
      return answers;
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

function writeFiles(directory: string): void {
  for (const [name, content] of Object.entries(FILES)) {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    if (name === EXECUTABLE) chmodSync(path, 0o755);
  }
}

/** Runs the scripts of a directory. @returns their statuses, up to one that does not end */
async function drive(place: string, bin: string): Promise<number[]> {
  const statuses: number[] = [];
  await new Promise<void>((resolve, reject) => {
    const child = spawn(
      "/bin/sh",
      [
        "-c",
        'exec "$0" --norc --noprofile -c "$1" bash 7>&1 8<"$ROOT__/scripts"',
        join(bin, "bash"),
        DRIVER,
      ],
      {
        stdio: ["ignore", "pipe", "inherit"],
        env: { ...ENVIRONMENT, PATH: bin, ROOT__: place, MARK__: MARK },
        detached: true,
      },
    );
    const end = (): void => {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    };
    let timer = setTimeout(end, HANG_MS);
    let text = "";
    child.stdout.on("data", (data: Buffer) => {
      clearTimeout(timer);
      timer = setTimeout(end, HANG_MS);
      text += data.toString("latin1");
    });
    child.on("error", reject);
    child.on("close", () => {
      clearTimeout(timer);
      for (const line of text.split("\n"))
        if (line !== "") statuses.push(Number(line.split(" ")[1]));
      resolve();
    });
  });
  return statuses;
}

function answerIn(place: string, status: number): Answer {
  const trace = readFileSync(join(place, "trace"), "utf8");
  return {
    stdout: readFileSync(join(place, "stdout"), "utf8"),
    status,
    hasErrors: statSync(join(place, "stderr")).size > 0,
    programs: trace.split(/\u{e000}+/u).flatMap(programOf),
  };
}

/** The words of a traced program; nothing for the other lines of a trace. */
function programOf(line: string): string[] {
  const words = tracedWords(line.trimEnd());
  return PROGRAMS.includes(words[0] ?? "") ? [words.join(" ")] : [];
}

/** The words of a line that bash wrote in a trace, quoted as it does. */
function tracedWords(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (const [piece] of line.matchAll(/\$'(?:\\.|[^'\\])*'|'[^']*'|\\.|\s+|[^\s'\\$]+|\$/gsu)) {
    if (/^\s/u.test(piece)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (piece.startsWith("$'")) word = (word ?? "") + unescaped(piece.slice(2, -1));
    else if (piece.startsWith("'")) word = (word ?? "") + piece.slice(1, -1);
    else word = (word ?? "") + piece.replace(/^\\/, "");
  }
  if (word !== undefined) words.push(word);
  return words;
}

function unescaped(text: string): string {
  const letters: Record<string, string> = {
    n: "\n",
    t: "\t",
    r: "\r",
    e: "\u{1b}",
    a: "\u{7}",
    b: "\b",
    f: "\f",
    v: "\v",
  };
  return text.replace(/\\(\d{3}|.)/gs, (_, code: string) =>
    code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8)) : (letters[code] ?? code),
  );
}
