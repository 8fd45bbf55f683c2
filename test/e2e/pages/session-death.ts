import { browserPlatform } from "@robota/adapters-web";
import { checkLife, type LifeCheck, liveAsSession } from "../../support/session-life.ts";

/** A session that works until its tab is killed, and the check of what is left of it. */
declare global {
  var life: {
    /** Begins, and posts each line that the session tells. */
    live(first: number): void;
    check(lines: readonly string[]): Promise<LifeCheck>;
  };
}

const cwd = "/workspace";
const platform = browserPlatform({ workspace: "session-death" });
const report = (line: string): Promise<Response> =>
  fetch("/report", { method: "POST", body: line });

async function begin(first: number): Promise<void> {
  await platform.fs.mkdir(cwd, { recursive: true });
  if (first === 0) await platform.fs.writeFile(`${cwd}/a.txt`, "at first\n");
  await liveAsSession(platform, { cwd, first, report });
}

globalThis.life = {
  live: (first) => void begin(first).catch((error: unknown) => report(`failed ${String(error)}`)),
  async check(lines) {
    await platform.fs.mkdir(cwd, { recursive: true });
    return checkLife(platform, { cwd, lines });
  },
};
