// Checks that the packed packages are fit to publish: the content of the tarballs and the size of what npm installs with
// them, publint and attw on each, a program that uses them on the oldest and the newest Node, and types that compile with the oldest and the newest TypeScript.
import { spawnSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { root } from "../packaging/bundle-entry.ts";
import { entriesOf, type PackageName, packages, type ProgramName } from "../packaging/entries.ts";
import { installPacked, pack } from "../packaging/pack.ts";
import { readFirstPrompt } from "./first-prompt.ts";

/** A file, loaded as a program's user loads it. */
interface Target {
  "@robota/source"?: string;
  types: string;
  node?: string;
  default: string;
}

interface Manifest {
  exports: Record<string, Target>;
  publishConfig: { exports: Record<string, Target> };
}

/** The packages that come bundled for Node. */
const bundled: PackageName[] = ["runtime", "shell", "adapters-node"];
/** MiB that `npm install` of them takes on a disk. */
const INSTALLED_LIMIT = 40;
/**
 * Files that the command line loads before its first prompt, and kB of them: Node takes half a millisecond for each file, and 50
 * more for each MB that it has not compiled before.
 */
const PROMPT_LIMITS = { files: 25, kilobytes: 1450 };
const oldest = join(root, "test/oldest/node_modules");
const nodes = [process.execPath, join(oldest, ".bin/node")];
/** With the matching types of Node. */
const compilers = [
  { tsc: join(root, "node_modules/.bin/tsc"), nodeTypes: join(root, "node_modules/@types/node") },
  { tsc: join(oldest, ".bin/tsc"), nodeTypes: join(oldest, "@types/node") },
];

const folder = mkdtempSync(join(tmpdir(), "robota-pack-"));
try {
  for (const name of packages) checkPublishedExports(name);
  const project = join(folder, "project");
  const tarballs = new Map<PackageName, string>();
  for (const name of packages) {
    const destination = join(folder, name);
    mkdirSync(destination);
    const tarball = pack(name, destination);
    tarballs.set(name, tarball);
    checkContents(name, tarball);
    await lint(name, tarball);
    // Workers and pages import ES modules; CommonJS is not promised.
    run("attw", ["--profile", "esm-only", "--format", "ascii", tarball], root);
    installPacked(name, tarball, project);
  }
  checkInstalledSize(bundled.map((name) => tarballs.get(name) ?? ""));
  await checkProgram("create", ["dist/main.js", "templates/worker/.dev.vars"]);
  await checkProgram("playground", ["dist/site/index.html", "dist/site/_headers"]);
  for (const node of nodes) {
    runPrograms(node, project);
    runDocumented(node, project);
  }
  await checkFirstPrompt(project);
  for (const compiler of compilers) checkTypes(compiler, project);
} finally {
  rmSync(folder, { recursive: true });
}

/** The published manifest offers the same entries without the sources' condition, and the bundled files for Node. */
function checkPublishedExports(name: PackageName): void {
  const manifest: Manifest = JSON.parse(
    readFileSync(join(root, "packages", name, "package.json"), "utf8"),
  );
  const published = Object.fromEntries(
    Object.entries(manifest.exports).map(([path, { "@robota/source": source, ...target }]) => {
      const node = target.default.replace("./dist/", "./dist/node/");
      const isBundled = bundled.includes(name) && source !== undefined;
      return [path, isBundled ? { ...target, node } : target];
    }),
  );
  if (isDeepStrictEqual(published, manifest.publishConfig.exports)) return;
  fail(`${name}: publishConfig.exports should be ${JSON.stringify(published, undefined, 2)}`);
}

/**
 * A tarball contains the targets of its manifest, a README and the licence, and nothing that only this repository uses.
 */
function checkContents(name: PackageName, tarball: string): void {
  const { stdout } = spawnSync("tar", ["--list", "--file", tarball], { encoding: "utf8" });
  const files = new Set(stdout.trim().split("\n"));
  const needed = ["README.md", "LICENSE", "package.json", "dist/index.js", "dist/index.d.ts"];
  if (bundled.includes(name)) needed.push("dist/THIRD-PARTY-NOTICES.md");
  for (const file of needed) {
    if (!files.has(`package/${file}`)) fail(`${name}: the tarball lacks ${file}`);
  }
  const stray = [...files].filter((file) =>
    /\.test\.|-fixture\.|\.tsbuildinfo$|\.map$|(?<!\.d)\.ts$|tsconfig/.test(file),
  );
  if (stray.length > 0) fail(`${name}: the tarball holds ${stray.slice(0, 5).join(", ")}`);
}

/** The command line and all that it needs, as npm installs it into an empty project. */
function checkInstalledSize(tarballs: readonly string[]): void {
  const project = join(folder, "installed");
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), JSON.stringify({ private: true }));
  run("npm", ["install", "--no-audit", "--no-fund", ...tarballs], project);
  const installed = join(project, "node_modules");
  const blocks = readdirSync(installed, { recursive: true, encoding: "utf8" }).reduce(
    (sum, file) => sum + lstatSync(join(installed, file)).blocks,
    0,
  );
  const size = (blocks * 512) / 2 ** 20;
  console.log(`npm install of the command line | ${size.toFixed(1)} MiB | ${INSTALLED_LIMIT}`);
  if (size > INSTALLED_LIMIT) fail(`The packages take ${size.toFixed(1)} MiB when installed`);
}

/** A package that has nothing to import holds its files. */
async function checkProgram(name: ProgramName, needed: readonly string[]): Promise<void> {
  const destination = join(folder, name);
  mkdirSync(destination);
  const tarball = pack(name, destination);
  const { stdout } = spawnSync("tar", ["--list", "--file", tarball], { encoding: "utf8" });
  for (const file of ["README.md", "LICENSE", ...needed]) {
    if (!stdout.includes(`package/${file}\n`)) fail(`${name}: the tarball lacks ${file}`);
  }
  await lint(name, tarball);
}

async function lint(name: string, tarball: string): Promise<void> {
  const bytes = readFileSync(tarball);
  const { messages, pkg } = await publint({
    strict: true,
    pack: { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) },
  });
  for (const message of messages) fail(`${name}: ${formatMessage(message, pkg)}`);
}

/** Every entry loads with its exports, sessions answer, providers reach a service, the command runs. */
function runPrograms(node: string, project: string): void {
  writeFileSync(
    join(project, "program.mjs"),
    `
      import assert from "node:assert/strict";
      import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
      import { tmpdir } from "node:os";
      import { join } from "node:path";
      for (const entry of ${JSON.stringify(bundled.flatMap(entriesOf))}) {
        const file = import.meta.resolve(entry);
        assert.match(file, /\\/dist\\/node\\//, entry);
        const modules = await import(file.replace("/dist/node/", "/dist/"));
        assert.deepEqual(Object.keys(await import(entry)), Object.keys(modules), entry);
      }
      const { InteractiveSession, Session, ValidationError } = await import("@robota/runtime");
      const { OfflineProvider } = await import("@robota/runtime/providers/offline");
      const { memoryPlatform } = await import("@robota/shell/testing");
      const { nodePlatform } = await import("@robota/adapters-node");
      const folder = await mkdtemp(join(tmpdir(), "robota-packed-"));
      try {
        const home = join(folder, "home");
        const hosts = [
          [memoryPlatform(), "/w"],
          [nodePlatform({ home }), folder],
          // Below a root, the shell is the virtual one, in processes of its own.
          [nodePlatform({ root: folder, storageDirectory: home }), "/w"],
        ];
        for (const [platform, cwd] of hosts) {
          await platform.fs.mkdir(cwd, { recursive: true });
          await platform.fs.writeFile(cwd + "/a.txt", new TextEncoder().encode("it is here"));
          const options = { platform, cwd, provider: new OfflineProvider() };
          assert.match(await new Session(options).run("help"), /read <path>/);
          const session = new InteractiveSession(options);
          let shown = "";
          session.on("text_delta", (delta) => (shown += delta));
          session.on("permission_request", ({ id }) => session.resolvePermission(id, { allow: true }));
          await session.submit("read a.txt");
          assert.match(shown, /it is here/);
          await session.submit("run echo from the shell > b.txt");
          const bytes = await platform.fs.readFile(cwd + "/b.txt");
          assert.equal(new TextDecoder().decode(bytes), "from the shell\\n");
          await session.shutdown();
          await platform.dispose();
        }
      } finally {
        await rm(folder, { recursive: true });
      }
      assert.equal(ValidationError.name, "ValidationError");
      // Providers reach their services.
      const { AnthropicProvider } = await import("@robota/runtime/providers/anthropic");
      const { OpenAIProvider } = await import("@robota/runtime/providers/openai");
      for (const Provider of [AnthropicProvider, OpenAIProvider]) {
        const fetch = async () => Response.json({ error: { message: "No" } }, { status: 401 });
        const provider = new Provider({ apiKey: "k", model: "m", fetch });
        await assert.rejects(provider.chat([]), { name: "AuthenticationError" });
      }
    `,
  );
  run(node, ["program.mjs"], project);
  const command = join(project, "node_modules/@robota/adapters-node/dist/node/main.js");
  const home = join(project, "home");
  run(node, [command, "-p", "list *"], project, { HOME: home, PATH: process.env.PATH ?? "" });
}

/** The newest Node has what counts them. */
async function checkFirstPrompt(project: string): Promise<void> {
  const command = join(project, "node_modules/@robota/adapters-node/dist/node/main.js");
  const { files, bytes } = await readFirstPrompt(process.execPath, command);
  const kilobytes = Math.round(bytes / 1000);
  console.log(`files before the first prompt | ${files.length} | ${PROMPT_LIMITS.files}`);
  console.log(`kB of them | ${kilobytes} | ${PROMPT_LIMITS.kilobytes}`);
  if (files.length > PROMPT_LIMITS.files || kilobytes > PROMPT_LIMITS.kilobytes)
    fail(`The first prompt loads more:\n${files.join("\n")}`);
}

/** The programs for Node in the README and in the first steps run as they are, on every supported Node. */
function runDocumented(node: string, project: string): void {
  const pages = ["README.md", "docs/getting-started.md"].map((page) =>
    readFileSync(join(root, page), "utf8"),
  );
  const programs = [...pages.join("\n").matchAll(/^```ts\n([^]*?)^```$/gm)]
    .map(([, program = ""]) => program)
    .filter((program) => /nodePlatform\(\).*[^]*OfflineProvider\(\)/.test(program));
  if (programs.length < 3)
    fail(`There are ${programs.length} programs for Node in the first pages`);
  const home = join(project, "home");
  for (const program of programs) {
    writeFileSync(join(project, "documented.mjs"), program);
    run(node, ["documented.mjs"], project, { HOME: home, PATH: process.env.PATH ?? "" });
  }
}

/** Compiles like a user's strict project: every library's declarations are checked, and there is no DOM. */
function checkTypes({ tsc, nodeTypes }: (typeof compilers)[number], project: string): void {
  const types = join(project, "node_modules/@types");
  rmSync(types, { recursive: true, force: true });
  mkdirSync(types, { recursive: true });
  symlinkSync(nodeTypes, join(types, "node"));
  const entries = bundled.flatMap(entriesOf);
  const imports = entries.map((entry, index) => `import * as entry${index} from "${entry}";`);
  const names = entries.map((_, index) => `entry${index}`);
  const files = {
    "types.mts": `${imports.join("\n")}\nexport const entries = [${names.join(", ")}];\n`,
    "tsconfig.json": JSON.stringify({
      compilerOptions: {
        target: "es2024",
        lib: ["es2024"],
        module: "nodenext",
        types: ["node"],
        strict: true,
        noUncheckedIndexedAccess: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: false,
        noEmit: true,
      },
      files: ["types.mts"],
    }),
  };
  for (const [file, text] of Object.entries(files)) writeFileSync(join(project, file), text);
  run(tsc, ["-p", "."], project);
}

function run(command: string, args: string[], cwd: string, env = process.env): void {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (status === 0) return;
  fail(`${command} ${args.join(" ")}\n${stdout}${stderr}${error ? String(error) : ""}`);
}

function fail(message: string): void {
  process.exitCode = 1;
  console.error(message);
}
