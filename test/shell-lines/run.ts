import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { LAUNCHERS, PROGRAMS } from "./generate.ts";

/** A throw-away directory in which real bash runs lines, with no other program in reach than those that write down their names. */
export interface ShellWorld extends Disposable {
  readonly root: string;
  /** The programs that a line runs, each with its arguments, in their order. */
  run(line: string): Promise<string[]>;
}

const BODIES: Readonly<Record<string, string>> = {
  hand: 'case $1 in -*) shift;; esac; [ $# -eq 0 ] || exec "$@"',
  say: 'eval "$*"',
  opt: 'case $1 in --run=*) eval "${1#--run=}";; esac',
};
const MAX_TIME = 20_000;

function found(program: string): string {
  const path = (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, program));
  const place = path.find((file) => existsSync(file));
  if (place === undefined) throw new Error(`There is no ${program} here`);
  return place;
}

/** True when bash and the launchers are there to try lines with. */
export function canRunLines(): boolean {
  try {
    for (const program of LAUNCHERS) found(program);
    return process.platform === "linux";
  } catch {
    return false;
  }
}

export function openShellWorld(): ShellWorld {
  const root = mkdtempSync(join(tmpdir(), "robota-lines-"));
  const bin = join(root, "bin");
  const log = join(root, "log");
  mkdirSync(bin);
  const shell = found("sh");
  for (const program of LAUNCHERS) symlinkSync(found(program), join(bin, program));
  for (const program of PROGRAMS) {
    const file = join(bin, program);
    writeFileSync(
      file,
      `#!${shell}\nprintf '%s\\n' "${program} $*" >> '${log}'\n${BODIES[program] ?? ""}\n`,
    );
    chmodSync(file, 0o755);
  }
  const bash = found("bash");
  let count = 0;
  return {
    root,
    async run(line) {
      const cwd = join(root, `w${++count}`);
      mkdirSync(cwd);
      writeFileSync(join(cwd, "data"), "x\n");
      writeFileSync(log, "");
      await new Promise<void>((resolve) => {
        const child = spawn(bash, ["--norc", "--noprofile", "-c", line], {
          cwd,
          // Its descendants end with it: the pipe closes when the last of them has gone.
          stdio: ["ignore", "pipe", "pipe"],
          env: { PATH: bin, BIN: bin, HOME: cwd },
          detached: true,
        });
        const timer = setTimeout(() => {
          if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
        }, MAX_TIME);
        child.stdout.resume();
        child.stderr.resume();
        child.on("close", () => {
          clearTimeout(timer);
          resolve();
        });
      });
      const ran = readFileSync(log, "utf8");
      rmSync(cwd, { recursive: true, force: true });
      return ran.split("\n").filter((entry) => entry !== "");
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}
