import { decodeText, encodeText, basename, dirname, isWithin } from "@robota/runtime/ports";
import type { ShellCommand, ShellCommandContext, ShellCommandResult } from "../../command.ts";
import { explain } from "../arguments.ts";
import { type ScriptEngine, loadEngine } from "./engine.ts";
import type { ScriptOptions } from "./options.ts";
import { runScript, type ScriptResult } from "./sandbox.ts";
import { projectOf, type Snapshot, takeSnapshot } from "./snapshot.ts";

const ABOUT =
  "js runs JavaScript and TypeScript in a sandbox (QuickJS): the project's files, console, timers, assert and node:test; " +
  "no network, no processes, no native modules, and files are read before the script starts.";
const TEST_FILE =
  /(?:[._-]test\.[cm]?[jt]sx?|(?:^|\/)test-[^/]*\.[cm]?[jt]sx?|(?:^|\/)test\.[cm]?[jt]sx?)$/;

interface Asked {
  eval?: string;
  prints: boolean;
  tests: boolean;
  isCheck: boolean;
  rest: string[];
}

/** `js file [argument...]`, `js -e code`, `js -p code`, `js --test [file...]`, and code on standard input. */
export function createScripts(options: ScriptOptions): Record<"js" | "node", ShellCommand> {
  let loaded: Promise<ScriptEngine> | undefined;
  const load = (): Promise<ScriptEngine> =>
    (loaded ??= loadEngine(options).catch((error: unknown) => {
      loaded = undefined;
      throw error;
    }));
  const command = (name: "js" | "node"): ShellCommand => ({
    name,
    async run(args, context) {
      if (["--version", "-v"].includes(args[0] ?? "")) return { stdout: "v24.0.0\n" };
      if (["--help", "-h"].includes(args[0] ?? "")) return { stdout: `${ABOUT}\n` };
      const engine = await load();
      const asked = readArguments(args);
      if (asked.tests) return runTests(engine, context, asked.rest, options);
      const [file, ...rest] = asked.rest;
      const isText = asked.eval !== undefined || file === undefined || file === "-";
      const path = context.resolve(isText ? "[eval]" : file);
      const snapshot = await snapshotFor(context, isText ? context.cwd : dirname(path), options);
      if (isText) {
        const text = asked.eval ?? decodeText(await context.input());
        const code = asked.prints ? `console.log(eval(${JSON.stringify(text)}))` : text;
        put(snapshot, path, code);
      }
      const found = isText ? path : await findFile(context, snapshot, path);
      if (found === undefined)
        return { stderr: `${name}: cannot find module '${path}'\n`, exitCode: 1 };
      const { stdout, stderr, exitCode } = await runScript(
        engine,
        context,
        {
          path: found,
          argv: [
            `/usr/bin/${name}`,
            ...(isText ? [] : [found]),
            ...(isText && file !== undefined && asked.eval !== undefined ? [file] : []),
            ...rest,
          ],
          stdin: asked.eval === undefined && isText ? new Uint8Array() : await context.input(),
          snapshot,
        },
        options,
      );
      return { stdout, stderr, exitCode };
    },
  });
  return { js: command("js"), node: command("node") };
}

/** Options of Node without an effect here. */
const IGNORED =
  /^--(?:experimental-[\w-]+|no-warnings|enable-source-maps|trace-[\w-]+|test-reporter(?:=.*)?|input-type=.*|harmony.*|max-old-space-size=.*|expose-gc|disable-warning=.*)$/;

function readArguments(args: readonly string[]): Asked {
  const rest = [...args];
  const asked: Asked = { prints: false, tests: false, isCheck: false, rest };
  for (let arg = rest[0]; arg !== undefined && arg.startsWith("-") && arg !== "-"; arg = rest[0]) {
    rest.shift();
    if (arg === "--") break;
    if (["-e", "--eval", "-p", "--print", "-pe"].includes(arg)) {
      asked.eval = rest.shift() ?? "";
      asked.prints = arg.includes("p") && arg !== "--eval";
    } else if (arg === "--test") asked.tests = true;
    else if (!IGNORED.test(arg)) throw new Error(`bad option: ${arg}. ${ABOUT}`);
  }
  return asked;
}

async function snapshotFor(
  context: ShellCommandContext,
  directory: string,
  options: ScriptOptions,
): Promise<Snapshot> {
  const project = await projectOf(context.fs, directory);
  // A script outside of the working directory may work on that directory.
  const root = isWithin(project, context.cwd) ? project : context.cwd;
  const snapshot = await takeSnapshot(context.fs, root, options);
  if (!isWithin(root, project)) {
    const other = await takeSnapshot(context.fs, project, options);
    for (const [path, entry] of other.entries)
      if (!snapshot.entries.has(path)) snapshot.entries.set(path, entry);
  }
  const temporary = await context.fs.stat("/tmp").catch(() => undefined);
  if (temporary && !snapshot.entries.has("/tmp"))
    for (const [path, entry] of (
      await takeSnapshot(context.fs, "/tmp", { files: 200, fileBytes: 4e6 })
    ).entries)
      if (!snapshot.entries.has(path)) snapshot.entries.set(path, entry);
  return snapshot;
}

function put({ entries }: Snapshot, path: string, code: string): void {
  const bytes = encodeText(code);
  entries.set(path, { type: "file", size: bytes.length, mtimeMs: 0, mode: 0o644, bytes });
}

async function findFile(
  { fs }: ShellCommandContext,
  snapshot: Snapshot,
  path: string,
): Promise<string | undefined> {
  for (const one of [path, `${path}.js`, `${path}/index.js`]) {
    const entry = snapshot.entries.get(one);
    if (entry?.type === "directory") continue;
    if (entry?.bytes) return one;
    const stat = await fs.stat(one).catch(() => undefined);
    if (stat?.type !== "file") continue;
    const bytes = await fs.readFile(one).catch((error: unknown) => {
      throw new Error(`${one}: ${explain(error)}`, { cause: error });
    });
    snapshot.entries.set(one, {
      type: "file",
      size: bytes.length,
      mtimeMs: stat.mtimeMs,
      mode: stat.mode,
      bytes,
    });
    return one;
  }
  return undefined;
}

/** Runs each file in a sandbox of its own, as Node gives each a process. */
async function runTests(
  engine: ScriptEngine,
  context: ShellCommandContext,
  named: readonly string[],
  options: ScriptOptions,
): Promise<ShellCommandResult> {
  const snapshot = await snapshotFor(context, context.cwd, options);
  const within = `${context.cwd === "/" ? "" : context.cwd}/`;
  const asked = named.map((name) => context.resolve(name));
  const isAsked = (path: string): boolean =>
    asked.length > 0
      ? asked.some((one) => path === one || (path.startsWith(`${one}/`) && TEST_FILE.test(path)))
      : TEST_FILE.test(path) || /\/test\/[^/]*\.[cm]?[jt]s$/.test(path);
  const paths = [...snapshot.entries]
    .filter(
      ([path, { type }]) =>
        type === "file" &&
        path.startsWith(within) &&
        !path.includes("/node_modules/") &&
        isAsked(path),
    )
    .map(([path]) => path)
    .sort();
  if (paths.length === 0)
    return { stderr: `Could not find '${named.join(" ") || "any test file"}'\n`, exitCode: 1 };
  const total = { tests: 0, pass: 0, fail: 0, skipped: 0 };
  let [stdout, stderr] = ["", ""];
  for (const path of paths) {
    if (context.signal.aborted) break;
    const result: ScriptResult = await runScript(
      engine,
      context,
      { path, argv: ["/usr/bin/node", path], stdin: new Uint8Array(), snapshot },
      options,
    );
    stdout += result.stdout;
    stderr += result.stderr;
    const { tests, pass, fail, skipped } = result.tests;
    const isBroken = result.exitCode !== 0 && fail === 0;
    if (tests === 0 || isBroken) stdout += `${isBroken ? "\u2716" : "\u2714"} ${basename(path)}\n`;
    total.tests += tests === 0 || isBroken ? tests + 1 : tests;
    total.pass += tests === 0 && !isBroken ? 1 : pass;
    total.fail += isBroken ? fail + 1 : fail;
    total.skipped += skipped;
  }
  const summary = Object.entries(total).map(([name, count]) => `\u2139 ${name} ${count}\n`);
  return { stdout: stdout + summary.join(""), stderr, exitCode: total.fail > 0 ? 1 : 0 };
}
