import type { ShellOptions } from "@robota/runtime/ports";
import { MemoryFileSystem } from "@robota/runtime/virtual";

export type Rules = NonNullable<ShellOptions["rules"]>;
export type Act = "read" | "write" | "launch";

/** The files that `shell-spellings.ts` tells of, and whether anybody read the secret. */
export async function createWorld() {
  const fs = new MemoryFileSystem({
    files: {
      "/code/.env": "SECRET=1\n",
      "/code/names": ".env\nlaunch\n",
      "/code/run.sh": "launch\n",
      "/code/sub/": "",
      "/code/up/": "",
      "/tmp/": "",
      "/home/user/": "",
    },
    now: clock(),
  });
  const readFile = fs.readFile.bind(fs);
  const facts = async (): Promise<string> => {
    const stat = await fs.lstat("/code/.env").catch(() => undefined);
    const bytes = stat?.type === "file" ? await readFile("/code/.env") : [];
    return JSON.stringify([stat, ...bytes]);
  };
  await fs.chmod("/code/run.sh", 0o755);
  await fs.symlink(".env", "/code/link");
  await fs.symlink("/code", "/code/here");
  await fs.symlink("..", "/code/up/back");
  const seen = { reads: 0, launches: 0 };
  fs.readFile = async (path) => {
    if ((await fs.realpath(path).catch(() => path)) === "/code/.env") seen.reads += 1;
    return readFile(path);
  };
  const before = await facts();
  return {
    fs,
    launch: { name: "launch", run: () => ({ stdout: `launched ${++seen.launches}\n` }) },
    async did(act: Act): Promise<boolean> {
      if (act === "read") return seen.reads > 0;
      return act === "launch" ? seen.launches > 0 : (await facts()) !== before;
    },
  };
}

/** Rules that forbid `act`, and nothing else. */
export function forbid(act: Act): Rules {
  return {
    refusesFile: (path, kind) =>
      path === "/code/.env" && kind === act ? `${act} is denied` : undefined,
    refusesCommand: ([command]) =>
      act === "launch" && command === "launch" ? "launch is denied" : undefined,
  };
}

/** Moves with each look, so that no write goes unseen. */
function clock(): () => number {
  let now = Date.UTC(2026, 0, 1);
  return () => (now += 1000);
}
