import { MemoryFileSystem } from "@robota/runtime/virtual";
import { VirtualShell } from "@robota/shell";
import { type Answer, ENVIRONMENT, PROGRAMS, WRAPPER } from "./answers.ts";
import { EXECUTABLE, FILES } from "./grammar/script.ts";

const TIMEOUT_MS = 60_000;
const DIRECTORY = "/tmp/scripts/w";

/** Our answer, with the words on standard error. */
export interface OwnAnswer extends Answer {
  readonly errors: string;
}

/** Runs a script in our shell, beside a guard that writes down what it is asked. */
export async function runOwn(script: string): Promise<OwnAnswer> {
  const fs = new MemoryFileSystem({
    files: Object.fromEntries(
      Object.entries(FILES).map(([name, content]) => [`${DIRECTORY}/${name}`, content]),
    ),
  });
  await fs.chmod(`${DIRECTORY}/${EXECUTABLE}`, 0o755);
  const programs: string[] = [];
  const { stdout, stderr, exitCode } = await new VirtualShell({ fs }).exec(`(${WRAPPER})`, {
    cwd: DIRECTORY,
    env: { ...ENVIRONMENT, SCRIPT__: script },
    stdin: "",
    timeoutMs: TIMEOUT_MS,
    rules: {
      refusesFile: () => undefined,
      refusesCommand(words) {
        if (PROGRAMS.includes(words[0] ?? "")) programs.push(words.join(" "));
        return undefined;
      },
    },
  });
  return { stdout, status: exitCode, hasErrors: stderr !== "", programs, errors: stderr };
}
