// Runs every line of `scenarios.ts` with this machine's bash and git and keeps the answers: `node test/git/record.ts`.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Answer, environmentOf, scenarios } from "./scenarios.ts";

const answers: Record<string, Answer[]> = {};
for (const { name, lines } of scenarios) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "git-answers-")));
  const code = join(root, "code");
  const home = join(root, "home");
  mkdirSync(code);
  mkdirSync(home);
  answers[name] = lines.map((line, at) => {
    const { stdout, stderr, status } = spawnSync("bash", ["-c", line], {
      cwd: code,
      encoding: "utf8",
      timeout: 20_000,
      env: {
        PATH: "/usr/local/bin:/usr/bin:/bin",
        HOME: home,
        LC_ALL: "C.UTF-8",
        TZ: "UTC",
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_EDITOR: "true",
        ...environmentOf(at),
      },
    });
    const clean = (text: string): string => text.replaceAll(code, "/code");
    return { stdout: clean(stdout), stderr: clean(stderr), exitCode: status ?? -1 };
  });
  rmSync(root, { recursive: true });
}
writeFileSync(
  join(import.meta.dirname, "answers.json"),
  `${JSON.stringify(answers, undefined, 2)}\n`,
);
