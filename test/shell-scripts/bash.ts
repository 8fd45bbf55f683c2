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

/** Without an end of a script for so long, the one that runs hangs. */
const HANG_MS = 20_000;

/** On one line, as the script of our shell is, so that both count lines alike. */
const DRIVER = [
  "number__=0; while IFS= read -r -d '' -u 8 SCRIPT__",
  'do cd "$ROOT__/$number__/w"',
  `( exec 8<&- 7>&-; export -n SCRIPT__ ROOT__; ${WRAPPER} ) >../stdout 2>../stderr </dev/null 9>>../programs`,
  'echo "$number__ $?" >&7; number__=$((number__ + 1)); done',
].join("; ");

/** Stands for a program: writes down its words, and becomes the program. Under its own name, which is in its messages. */
const recorder = (name: string, programs: string): string =>
  [
    "#!/bin/sh",
    `set -- ${name} "$@"`,
    "{ printf '%s\\0' \"$*\" >&9; } 2>/dev/null",
    `shift; PATH='${programs}' exec ${name} "$@" 9>&-`,
    "",
  ].join("\n");

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
  const [bin, programs] = [join(root, "bin"), join(root, "programs")];
  for (const folder of [bin, programs]) mkdirSync(folder);
  symlinkSync(found("bash") ?? "", join(bin, "bash"));
  for (const name of PROGRAMS) {
    symlinkSync(found(name) ?? "", join(programs, name));
    writeFileSync(join(bin, name), recorder(name, programs), { mode: 0o755 });
  }
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
        env: { ...ENVIRONMENT, PATH: bin, ROOT__: place },
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
  return {
    stdout: readFileSync(join(place, "stdout"), "utf8"),
    status,
    hasErrors: statSync(join(place, "stderr")).size > 0,
    programs: readFileSync(join(place, "programs"), "utf8").split("\0").slice(0, -1),
  };
}
