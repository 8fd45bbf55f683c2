import { VirtualShell } from "@robota/shell";
import { type Answer, ENVIRONMENT, PROGRAMS, WRAPPER } from "./answers.ts";
import { EXECUTABLE, FILES } from "./grammar/script.ts";
import { WatchedFiles } from "./watched-files.ts";

const TIMEOUT_MS = 60_000;
const DIRECTORY = "/tmp/scripts/w";

/** Our answer, with the words on standard error. */
export interface OwnAnswer extends Answer {
  readonly errors: string;
  /** Files that were read or changed: `read /path`, `write /path`. */
  readonly files: readonly string[];
  /** Those about which no guard was asked. */
  readonly unseenFiles: readonly string[];
}

/** Runs a script in our shell, beside a guard that writes down what it is asked. */
export async function runOwn(script: string): Promise<OwnAnswer> {
  const fs = new WatchedFiles({
    files: Object.fromEntries(
      Object.entries(FILES).map(([name, content]) => [`${DIRECTORY}/${name}`, content]),
    ),
  });
  await fs.chmod(`${DIRECTORY}/${EXECUTABLE}`, 0o755);
  fs.touched.clear();
  const programs: string[] = [];
  const asked = new Set<string>();
  const { stdout, stderr, exitCode } = await new VirtualShell({ fs }).exec(`(${WRAPPER})`, {
    cwd: DIRECTORY,
    env: { ...ENVIRONMENT, SCRIPT__: script },
    stdin: "",
    timeoutMs: TIMEOUT_MS,
    rules: {
      refusesFile(path, kind) {
        asked.add(`${kind} ${path}`);
        return undefined;
      },
      refusesCommand(words) {
        if (PROGRAMS.includes(words[0] ?? "")) programs.push(words.join(" "));
        return undefined;
      },
    },
  });
  const files = [...fs.touched];
  const unseenFiles = files.filter((file) => !asked.has(file));
  const answer = { stdout, status: exitCode, hasErrors: stderr !== "", programs };
  return { ...answer, errors: stderr, files, unseenFiles };
}
