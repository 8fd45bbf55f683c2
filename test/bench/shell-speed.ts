// The cost of the virtual shell, next to the interpreter as it is published and next to the files themselves. Writes its
// section of docs/evidence/benchmarks.md: `node --conditions=@robota/source test/bench/shell-speed.ts`.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { MemoryFileSystem, OverlayFileSystem } from "@robota/runtime/virtual";
import { VirtualShell } from "@robota/shell";
import { writeSection } from "./section.ts";

const ROUNDS = 5;
/** The shortest stretch that is not at the mercy of one turn of the garbage collector, and short enough to take turns. */
const EXECS_AT_ONCE = 100;
const EXEC_ROUNDS = 150;

interface BareShell {
  exec(command: string): Promise<unknown>;
}
interface BareModule {
  Bash: new (options: object) => BareShell;
  InMemoryFs: new (files: Record<string, string>) => object;
}

const own = createRequire(join(import.meta.dirname, "../package.json"));
const bareModule: BareModule = await import(pathToFileURL(own.resolve("just-bash")).href);

/** Runs the contestants in turns; returns the times of their rounds. */
async function race(
  subjects: Readonly<Record<string, () => Promise<unknown>>>,
  rounds = ROUNDS,
): Promise<Record<string, number[]>> {
  const took: Record<string, number[]> = {};
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of Object.entries(subjects)) {
      const started = performance.now();
      await run();
      (took[name] ??= []).push(performance.now() - started);
    }
  }
  return took;
}

/** The minimum: other load on the machine makes a round longer, never shorter. */
function shortest(took: Record<string, number[]>): Record<string, number> {
  return Object.fromEntries(Object.entries(took).map(([name, all]) => [name, Math.min(...all)]));
}

/** The lower quartile: among many short rounds the minimum is luck. */
function quick(took: Record<string, number[]>): Record<string, number> {
  const quarter = (all: number[]): number =>
    all.toSorted((one, other) => one - other)[Math.floor(all.length / 4)] ?? 0;
  return Object.fromEntries(Object.entries(took).map(([name, all]) => [name, quarter(all)]));
}

async function times(count: number, run: () => Promise<unknown>): Promise<void> {
  for (let index = 0; index < count; index++) await run();
}

const rules = { refusesFile: () => undefined, refusesCommand: () => undefined };

async function smallExecs(): Promise<string[]> {
  const rows: string[] = [];
  const files = { "/code/a": "x\ny\n" };
  for (const command of ["echo a", "echo a | grep a | wc -l", "cat /code/a", "echo x > /code/b"]) {
    const shell = new VirtualShell({ fs: new MemoryFileSystem({ files }) });
    const bare = new bareModule.Bash({
      fs: new bareModule.InMemoryFs(files),
      cwd: "/code",
      defenseInDepth: false,
    });
    const run = (exec: () => Promise<unknown>) => () => times(EXECS_AT_ONCE, exec);
    const took = await race(
      {
        bare: run(() => bare.exec(command)),
        ours: run(() => shell.exec(command, { cwd: "/code" })),
        guarded: run(() => shell.exec(command, { cwd: "/code", rules, timeoutMs: 60_000 })),
      },
      EXEC_ROUNDS,
    );
    const { bare: base = 0, ours = 0, guarded = 0 } = quick(took);
    const [scale, what] = [1_000 / EXECS_AT_ONCE, command.replace(/\|/g, "\\|")];
    rows.push(row(`1000 × \`${what}\``, base * scale, ours * scale, guarded * scale));
  }
  return rows;
}

function row(what: string, bare: number, ours: number, guarded: number): string {
  const share = (time: number): string => `${time.toFixed(0)} (${(time / bare).toFixed(2)})`;
  return `| ${what} | ${bare.toFixed(0)} | ${share(ours)} | ${share(guarded)} |`;
}

async function bigTexts(): Promise<string[]> {
  const files = { "/code/big": "the quick brown fox jumps\n".repeat(100_000), "/code/b": "" };
  const rows: string[] = [];
  for (const command of [
    "sed 's/quick/slow/g' /code/big > /code/b",
    "grep -c 'qu.*fox' /code/big",
    "sort /code/big > /code/b",
    "awk '{ s += length($0) } END { print s }' /code/big",
  ]) {
    const shell = new VirtualShell({ fs: new MemoryFileSystem({ files }) });
    const bare = new bareModule.Bash({
      fs: new bareModule.InMemoryFs(files),
      cwd: "/code",
      defenseInDepth: false,
    });
    const took = await race(
      {
        bare: () => bare.exec(command),
        ours: () => shell.exec(command, { cwd: "/code" }),
        guarded: () => shell.exec(command, { cwd: "/code", rules, timeoutMs: 60_000 }),
      },
      3,
    );
    const { bare: base = 0, ours = 0, guarded = 0 } = shortest(took);
    rows.push(row(`\`${command}\` (2.6 MB)`, base, ours, guarded));
  }
  return rows;
}

async function overlays(): Promise<string[]> {
  const rows: string[] = [];
  for (const count of [1_000, 10_000]) {
    const files: Record<string, string> = {};
    for (let at = 0; at < count; at++) files[`/code/d${at % 100}/f${at}`] = `content ${at}\n`;
    const base = new MemoryFileSystem({ files });
    const overlay = new OverlayFileSystem(base);
    await overlay.writeFile("/code/d0/f0", "changed\n");
    const paths = Object.keys(files);
    const read = (fs: { readFile(path: string): Promise<unknown> }) => async (): Promise<void> => {
      for (const path of paths) await fs.readFile(path);
    };
    const took = await race({
      fork: async () => void new OverlayFileSystem(base),
      changes: () => overlay.changes(),
      base: read(base),
      overlay: read(overlay),
    });
    const { fork = 0, changes = 0, base: bare = 0, overlay: over = 0 } = shortest(took);
    rows.push(
      `| ${count} files | ${fork.toFixed(3)} | ${changes.toFixed(3)} | ${(over / bare).toFixed(2)} |`,
    );
  }
  return rows;
}

const section = `## The cost of the virtual shell

Generated by \`test/bench/shell-speed.ts\`, in milliseconds and, in brackets, as a share of bare just-bash (without its defence in
depth) over its own files in memory, in the same run. Guarded: with rules and a time limit.

| what | bare just-bash | VirtualShell | guarded |
| ---- | -------------- | ------------ | ------- |
${[...(await smallExecs()), ...(await bigTexts())].join("\n")}

An \`OverlayFileSystem\` with one changed file; reads as a share of those of its base.

| base | fork, ms | \`changes()\`, ms | reads |
| ---- | -------- | --------------- | ----- |
${(await overlays()).join("\n")}

Small execs are ten times what a quarter of ${EXEC_ROUNDS} rounds of ${EXECS_AT_ONCE} took at most; the rest are the
shortest of ${ROUNDS} rounds or fewer; all take turns with each other, on Node ${process.version}.`;

writeSection("shell", section);
