// Whether the packages are fit to publish, as they are packed: publint on each, types that resolve for every entry as an
// importer sees them, and a program in Node that imports every entry.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { root } from "./bundle-entry.ts";
import { entriesOf, packages } from "./entries.ts";
import { installPacked, pack } from "./pack.ts";

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

const folder = mkdtempSync(join(tmpdir(), "robota-pack-"));
try {
  checkPublishedExports();
  for (const name of packages) {
    const destination = join(folder, name);
    mkdirSync(destination);
    const tarball = pack(name, destination);
    await lint(name, tarball);
    // A worker or a page imports ES modules; nobody is promised CommonJS.
    run("attw", ["--profile", "esm-only", "--format", "ascii", tarball], root);
    if (name === "runtime") tryOut(tarball);
  }
} finally {
  rmSync(folder, { recursive: true });
}

/** What is published offers the same entries, with the bundled files for Node and without the sources' condition. */
function checkPublishedExports(): void {
  const manifest: Manifest = JSON.parse(
    readFileSync(join(root, "packages/runtime/package.json"), "utf8"),
  );
  const published = Object.fromEntries(
    Object.entries(manifest.exports).map(([path, { "@robota/source": source, ...target }]) => {
      const node = target.default.replace("./dist/", "./dist/node/");
      return [path, source === undefined ? target : { ...target, node }];
    }),
  );
  if (isDeepStrictEqual(published, manifest.publishConfig.exports)) return;
  fail(`runtime: publishConfig.exports should be ${JSON.stringify(published, undefined, 2)}`);
}

async function lint(name: string, tarball: string): Promise<void> {
  const bytes = readFileSync(tarball);
  const { messages, pkg } = await publint({
    strict: true,
    pack: { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) },
  });
  for (const message of messages) fail(`${name}: ${formatMessage(message, pkg)}`);
}

/** In a project of its own: every entry gives what its modules give, sessions answer, and providers reach a service. */
function tryOut(tarball: string): void {
  const project = join(folder, "project");
  installPacked("runtime", tarball, project);
  const entries = entriesOf("runtime");
  writeFileSync(
    join(project, "program.mjs"),
    `
      import assert from "node:assert/strict";
      for (const entry of ${JSON.stringify(entries)}) {
        const file = import.meta.resolve(entry);
        assert.match(file, /\\/dist\\/node\\//, entry);
        const modules = await import(file.replace("/dist/node/", "/dist/"));
        assert.deepEqual(Object.keys(await import(entry)), Object.keys(modules), entry);
      }
      const { InteractiveSession, Session, ValidationError } = await import("@robota/runtime");
      const { OfflineProvider } = await import("@robota/runtime/providers/offline");
      const { memoryPlatform } = await import("@robota/runtime/testing");
      const platform = memoryPlatform();
      await platform.fs.mkdir("/w", { recursive: true });
      await platform.fs.writeFile("/w/a.txt", new TextEncoder().encode("it is here"));
      const options = { platform, cwd: "/w", provider: new OfflineProvider() };
      assert.match(await new Session(options).run("help"), /read <path>/);
      const session = new InteractiveSession(options);
      let shown = "";
      session.on("text_delta", (delta) => (shown += delta));
      await session.submit("read a.txt");
      assert.match(shown, /it is here/);
      assert.equal(ValidationError.name, "ValidationError");
      // The SDKs are bundled too.
      const { AnthropicProvider } = await import("@robota/runtime/providers/anthropic");
      const { OpenAIProvider } = await import("@robota/runtime/providers/openai");
      for (const Provider of [AnthropicProvider, OpenAIProvider]) {
        const fetch = async () => Response.json({ error: { message: "No" } }, { status: 401 });
        const provider = new Provider({ apiKey: "k", model: "m", fetch });
        await assert.rejects(provider.chat([]), { name: "AuthenticationError" });
      }
    `,
  );
  run(process.execPath, ["program.mjs"], project);
}

function run(command: string, args: string[], cwd: string): void {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (status === 0) return;
  fail(`${command} ${args.join(" ")}\n${stdout}${stderr}`);
}

function fail(message: string): void {
  process.exitCode = 1;
  console.error(message);
}
