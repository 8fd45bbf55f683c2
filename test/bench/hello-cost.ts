// Costs of the first program, here and with other agents: its lines, the files that npm installs, and the first load of a page.
// Writes its section of docs/evidence/benchmarks.md: `npm run bench -- --sections hello`.
import { execFile } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { PackageName } from "../../scripts/packaging/entries.ts";
import { loadSizes } from "../../scripts/packaging/first-load.ts";
import { pack } from "../../scripts/packaging/pack.ts";
import { GIVEN, type HelloProgram, PACKED, PROGRAMS } from "./hello/programs.ts";
import { startServer, stop } from "./peers/processes.ts";
import { table, writeSection } from "./section.ts";

const run = promisify(execFile);
const TIMEOUT_MS = 300_000;
/** Packages of this project that those of a program need. */
const NEEDED: Readonly<Record<string, readonly PackageName[]>> = {
  "@robota/runtime": ["runtime"],
  "@robota/adapters-node": ["shell", "adapters-node"],
};

const place = mkdtempSync(join(tmpdir(), "robota-bench-hello-"));
process.on("exit", () => rmSync(place, { recursive: true, force: true }));
const tarballs = new Map<PackageName, string>();
const { root, server } = await startServer();

/** A package's tarball; each is packed once. */
function tarballOf(name: PackageName): string {
  const folder = join(place, "packed", name);
  mkdirSync(folder, { recursive: true });
  const tarball = tarballs.get(name) ?? pack(name, folder);
  tarballs.set(name, tarball);
  return tarball;
}

/** A fresh folder with the program and what it needs, as npm installs it. */
async function install({ packages, code }: HelloProgram, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  writeFileSync(join(folder, "hello.js"), GIVEN + code);
  const wanted = Object.entries(packages).flatMap(([name, version]) =>
    version === PACKED ? (NEEDED[name] ?? []).map(tarballOf) : [`${name}@${version}`],
  );
  await run("npm", ["install", "--no-audit", "--no-fund", ...wanted], {
    cwd: folder,
    timeout: TIMEOUT_MS,
  });
}

/** Bytes of all files below a folder, as they are, without what a file system rounds up to. */
function bytesBelow(folder: string): number {
  let sum = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true }))
    if (entry.isFile()) sum += lstatSync(join(entry.parentPath, entry.name)).size;
  return sum;
}

function packagesIn(folder: string): number {
  const lock: { packages: object } = JSON.parse(
    readFileSync(join(folder, "package-lock.json"), "utf8"),
  );
  // The first is the folder itself.
  return Object.keys(lock.packages).length - 1;
}

/** Reports whether the program prints the answer of a model that calls its tool first. */
async function answers(folder: string): Promise<boolean> {
  const env = { ...process.env, KEY: "k", URL: `${root}/tool.1.0`, MODEL: "mock-model" };
  const { stdout } = await run(process.execPath, ["hello.js"], {
    cwd: folder,
    env,
    timeout: TIMEOUT_MS,
  });
  return stdout.includes("lorem");
}

async function firstLoad(
  { inPage }: HelloProgram,
  folder: string,
  isOwn: boolean,
): Promise<string> {
  if (inPage === undefined) return "not in a page";
  const { firstLoad: first } = await loadSizes({
    code: GIVEN + inPage,
    target: "browser",
    folder: isOwn ? undefined : folder,
  });
  return `${(first / 1000).toFixed(1)} kB`;
}

async function row(program: HelloProgram, index: number): Promise<string[]> {
  const folder = join(place, String(index));
  const { name, code, packages } = program;
  await install(program, folder);
  if (program.isRun !== false && !(await answers(folder)))
    throw new Error(`The program of ${name} does not answer`);
  const isOwn = Object.values(packages).includes(PACKED);
  const lines = code.split("\n").filter((line) => line.trim() !== "").length;
  const megabytes = bytesBelow(join(folder, "node_modules")) / 1e6;
  return [
    name,
    String(lines),
    `${megabytes.toFixed(1)} MB`,
    String(packagesIn(folder)),
    await firstLoad(program, folder, isOwn),
  ];
}

const rows: string[][] = [];
for (const [index, program] of PROGRAMS.entries()) {
  console.error(program.name);
  rows.push(await row(program, index));
}
await stop(server);
const versions = PROGRAMS.flatMap(({ packages }) => Object.entries(packages))
  .filter(([, version]) => version !== PACKED)
  .map(([name, version]) => `${name} ${version}`);
const text = [
  "## The first program",
  `The shortest program of each for the same task: a question to a model, a tool with typed arguments, and the answer as it streams
(\`test/bench/hello/programs.ts\`; all but that of the Claude Agent SDK were run before they were measured). Lines are counted without empty ones; installed is all of
\`node_modules\` after \`npm install\`, as bytes of files; a page's first load is what it imports at once, minified and gzipped.`,
  table([["program", "lines", "installed", "packages", "first load of a page"], ...rows]),
  `Versions: ${[...new Set(versions)].join(", ")}.`,
].join("\n\n");
console.log(text);
writeSection("hello", text);
