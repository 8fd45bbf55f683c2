import {
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSWASMModule,
  Scope,
} from "quickjs-emscripten-core";
import { decodeText, encodeText, errorMessage, FileSystemError } from "@robota/runtime/ports";
import { fromByteString, toByteString } from "../../bytes.ts";
import type { ShellCommandContext } from "../../command.ts";
import { createClock } from "./clock.ts";
import { canPause, createEntrance, leave, type ScriptEngine, ScriptEnded } from "./engine.ts";
import { refused, scriptFiles, type ScriptFiles } from "./files.ts";
import type { ScriptOptions } from "./options.ts";
import { settlingLast } from "./last-statement.ts";
import { prelude } from "./prelude.ts";
import { resolveModule } from "./resolve.ts";
import type { Snapshot } from "./snapshot.ts";
import { toScript } from "./transform.ts";

/** The names that a file finds, as in Node, and the one that gets the value of the last statement. */
const PARAMETERS = "exports, require, module, __filename, __dirname, __importMeta, __settle";
/** Bytes of the sandbox's own stack: deeper recursion is an error of the script, not of the host. */
const STACK_BYTES = 256 * 1024;
const JOBS_PER_TURN = 500;
/**
 * Estimated times on hosts whose clock stands still while code runs: 10,000 calls and loop iterations of the script,
 * after which QuickJS checks for an interrupt,
 */
const STEPS_MS = 0.1;
/** 200,000 iterations of QuickJS's native loops, after which those check, */
const ROUNDS_MS = 1;
/** and a call into this file, with the bytes that it passes. */
const CALL_MS = 0.002;
const BYTES_PER_MS = 1_000_000;
/** Pending bytes of file changes above which a script pauses until they are written, where it can pause. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;

export interface ScriptResult {
  stdout: string;
  stderr: string;
  exitCode: number;
  tests: { tests: number; pass: number; fail: number; skipped: number };
}

export interface Script {
  /** The file to run; its text is in the snapshot. */
  path: string;
  argv: readonly string[];
  stdin: Uint8Array;
  snapshot: Snapshot;
}

/** Runs one script in a sandbox of its own. Only its output and its file changes remain. */
export async function runScript(
  engine: ScriptEngine,
  context: ShellCommandContext,
  script: Script,
  options: ScriptOptions,
): Promise<ScriptResult> {
  const quickjs = await engine.take();
  const scope = new Scope();
  const { result, isBroken } = await new ScriptRun(quickjs, scope, context, script, options).run();
  // An instance in which a script was ended by force, or by a WebAssembly trap, is abandoned.
  if (!isBroken && isCleared(quickjs, scope)) engine.give(quickjs);
  return result;
}

/** Frees the sandbox; tells whether that succeeded completely. */
function isCleared(quickjs: QuickJSWASMModule, scope: Scope): boolean {
  leave(quickjs);
  try {
    scope.dispose();
    return true;
  } catch {
    // QuickJS aborts when its reference counts don't add up, which can happen after running out of memory.
    return false;
  }
}

type Compiled = ReturnType<QuickJSContext["evalCode"]>;

/** How a file becomes a function. */
interface FileKind {
  name: string;
  /** True for a file with `await` outside of functions. */
  isAsync: boolean;
  /** True for the file that the command names. */
  isMain: boolean;
}

type Call = (...args: QuickJSHandle[]) => string | number | Uint8Array | undefined;

/** One script in its sandbox. */
class ScriptRun {
  readonly #scope: Scope;
  readonly #context: ShellCommandContext;
  readonly #script: Script;
  readonly #timeMs: number;
  readonly #runtime: QuickJSRuntime;
  readonly #vm: QuickJSContext;
  readonly #entrance: ReturnType<typeof createEntrance>;
  readonly #files: ScriptFiles;
  readonly #started = performance.now();
  /** Due time of each timer, by its number. */
  readonly #timers = new Map<number, number>();
  readonly #result: ScriptResult = {
    stdout: "",
    stderr: "",
    exitCode: 0,
    tests: { tests: 0, pass: 0, fail: 0, skipped: 0 },
  };
  #wasTimeOver = false;
  #isBroken = false;
  #exit: number | undefined;
  #clock = createClock();
  /** False while the sandbox is created, which does not count as work of the script. */
  #hasBegun = false;
  /** True while the sandbox may pause: not during a call into this file. */
  #isEntered = false;
  /** True until the first check after that: a loop may still be one of the library around it, which can't be suspended. */
  #isFresh = false;

  constructor(
    quickjs: QuickJSWASMModule,
    scope: Scope,
    context: ShellCommandContext,
    script: Script,
    { timeMs = 5_000, memoryBytes = 64 * 1024 * 1024 }: ScriptOptions,
  ) {
    this.#scope = scope;
    this.#context = context;
    this.#script = script;
    this.#timeMs = timeMs;
    this.#runtime = scope.manage(quickjs.newRuntime());
    this.#runtime.setMemoryLimit(memoryBytes);
    this.#runtime.setMaxStackSize(STACK_BYTES);
    this.#vm = scope.manage(this.#runtime.newContext());
    this.#files = scriptFiles(context.fs, script.snapshot, memoryBytes);
    this.#entrance = createEntrance(
      quickjs,
      this.#vm,
      (isLoop) => this.#onLook(isLoop),
      () => this.#onPause(),
    );
  }

  async run(): Promise<{ result: ScriptResult; isBroken: boolean }> {
    const script = this.#load();
    const main = this.#scope.manage(this.#vm.newString(this.#script.path));
    this.#clock = createClock();
    this.#hasBegun = true;
    await this.#call(script, "main", main);
    await this.#runUntilIdle(script);
    if (this.#exit === undefined) await this.#call(script, "end");
    this.#result.exitCode = this.#context.signal.aborted ? 130 : (this.#exit ?? 0);
    return { result: this.#result, isBroken: this.#isBroken };
  }

  /** The object whose methods run the script. */
  #load(): QuickJSHandle {
    const [scope, vm] = [this.#scope, this.#vm];
    const host = this.#createHost();
    const start = scope.manage(vm.unwrapResult(vm.evalCode(prelude, "js:prelude")));
    const argv = scope.manage(toSandbox(vm, this.#script.argv));
    const env = scope.manage(toSandbox(vm, this.#context.env));
    const cwd = scope.manage(vm.newString(this.#context.cwd));
    return scope.manage(
      vm.unwrapResult(vm.callFunction(start, vm.undefined, host, argv, env, cwd)),
    );
  }

  /** Runs jobs and timers, until there are none or the script has ended. */
  async #runUntilIdle(script: QuickJSHandle): Promise<void> {
    for (;;) {
      await this.#within(() => this.#entrance.runJobs(JOBS_PER_TURN));
      await this.#waiting(() => this.#makeChanges());
      if (this.#isBroken || this.#exit !== undefined || this.#context.signal.aborted) return;
      if (this.#runtime.hasPendingJob()) {
        await this.#waiting(() => new Promise((resolve) => setTimeout(resolve, 0)));
        continue;
      }
      const [next] = [...this.#timers].sort(([, one], [, other]) => one - other);
      if (!next) return;
      const [id, time] = next;
      const wait = time - performance.now();
      if (wait > 0) await this.#waiting(() => sleep(Math.min(wait, 50), this.#context.signal));
      if (time > performance.now()) continue;
      this.#timers.delete(id);
      await this.#call(script, "fire", this.#scope.manage(this.#vm.newNumber(id)));
    }
  }

  #onLook(isLoop: boolean): "end" | "pause" | "go on" {
    this.#clock.count(isLoop ? ROUNDS_MS : STEPS_MS);
    if (this.#mustEnd()) return "end";
    const isOwnLoop = isLoop && this.#isFresh;
    this.#isFresh = false;
    const wantsPause = this.#clock.isTurnOver() || this.#files.waitingBytes > MAX_WAITING_BYTES;
    return canPause && this.#isEntered && !isOwnLoop && wantsPause ? "pause" : "go on";
  }

  async #onPause(): Promise<"end" | "go on"> {
    await this.#waiting(async () => {
      await this.#makeChanges();
      await new Promise((resolve) => setTimeout(resolve, 0));
    });
    return this.#mustEnd() ? "end" : "go on";
  }

  /** The calls that a script may make into this file, by name. */
  #calls(): Record<string, Call> {
    return {
      print: (stream, text) => {
        this.#print(
          this.#vm.getString(stream!) === "stderr" ? "stderr" : "stdout",
          this.#vm.getString(text!),
        );
        return undefined;
      },
      now: () => performance.now() - this.#started,
      timer: (id, ms) =>
        void this.#timers.set(this.#vm.getNumber(id!), performance.now() + this.#vm.getNumber(ms!)),
      clear: (id) => void this.#timers.delete(this.#vm.getNumber(id!)),
      exit: (code) => void (this.#exit ??= this.#vm.getNumber(code!)),
      tests: (...counts) => {
        const [tests = 0, pass = 0, fail = 0, skipped = 0] = counts.map((count) =>
          this.#vm.getNumber(count),
        );
        this.#result.tests = { tests, pass, fail, skipped };
        return undefined;
      },
      encode: (text) => encodeText(this.#vm.getString(text!)),
      decode: (bytes) => decodeText(bytesOf(this.#vm, bytes!)),
      atob: (text) =>
        toByteString(
          fromByteString(atob(this.#vm.getString(text!).replaceAll("-", "+").replaceAll("_", "/"))),
        ),
      btoa: (text) => btoa(this.#vm.getString(text!)),
      open: (name) => {
        const place = this.#vm.getString(name!);
        return place === "/dev/stdin" ? this.#script.stdin : this.#files.read(place);
      },
      stat: (name) => this.#files.stat(this.#vm.getString(name!)),
      scandir: (name) => this.#files.list(this.#vm.getString(name!)),
      write: (name, data) =>
        this.#files.write(this.#vm.getString(name!), bytesOf(this.#vm, data!), false),
      append: (name, data) =>
        this.#files.write(this.#vm.getString(name!), bytesOf(this.#vm, data!), true),
      mkdir: (name, recursive) =>
        this.#files.makeDirectory(this.#vm.getString(name!), this.#vm.getNumber(recursive!) === 1),
      rm: (name, kind, force) =>
        this.#files.remove(
          this.#vm.getString(name!),
          (["file", "tree", "directory"] as const)[this.#vm.getNumber(kind!)] ?? "file",
          this.#vm.getNumber(force!) === 1,
        ),
      rename: (from, to) => this.#files.rename(this.#vm.getString(from!), this.#vm.getString(to!)),
      chmod: (name, mode) =>
        this.#files.chmod(this.#vm.getString(name!), this.#vm.getNumber(mode!)),
      resolve: (from, name) =>
        resolveModule(this.#script.snapshot, this.#vm.getString(from!), this.#vm.getString(name!)),
      script: (name) => {
        const place = this.#vm.getString(name!);
        const bytes = this.#files.read(place);
        if (typeof bytes === "string") return bytes;
        try {
          return toScript(decodeText(bytes), place).code;
        } catch (error) {
          return refused("ERR_SYNTAX", errorMessage(error));
        }
      },
    };
  }

  /** The functions of this file that the sandbox calls. */
  #createHost(): QuickJSHandle {
    const calls = this.#calls();
    const host = this.#scope.manage(
      this.#vm.newFunction("host", (name, ...args) => {
        // A script that catches this still meets QuickJS's next interrupt check.
        if (this.#mustEnd()) throw new ScriptEnded();
        // Reading its arguments and making its result runs loops of QuickJS, which can't be suspended below this function.
        this.#isEntered = false;
        try {
          const call = calls[this.#vm.getString(name)];
          return this.#answerOf(call?.(...args));
        } finally {
          this.#enter();
        }
      }),
    );
    const compile = this.#scope.manage(
      this.#vm.newFunction("compile", (text, name, isAsync, isMain) => {
        this.#isEntered = false;
        try {
          return this.#compile(this.#vm.getString(text), {
            name: this.#vm.getString(name),
            isAsync: this.#vm.getNumber(isAsync) === 1,
            isMain: this.#vm.getNumber(isMain) === 1,
          });
        } finally {
          this.#enter();
        }
      }),
    );
    this.#vm.setProp(host, "compile", compile);
    return host;
  }

  #answerOf(answer: ReturnType<Call>): QuickJSHandle {
    this.#clock.count(CALL_MS);
    if (answer === undefined) return this.#vm.undefined;
    if (typeof answer === "number") return this.#vm.newNumber(answer);
    this.#clock.count(answer.length / BYTES_PER_MS);
    return typeof answer === "string"
      ? this.#vm.newString(answer)
      : this.#vm.newArrayBuffer(answer.slice().buffer);
  }

  /** Lets the sandbox pause from now on. */
  #enter(): void {
    this.#isEntered = true;
    this.#isFresh = true;
  }

  /** A file as a function of what Node passes to it, or the exception that it does not parse with. */
  #compile(text: string, { name, isAsync, isMain }: FileKind): Compiled {
    const head = `(${isAsync ? "async " : ""}function (${PARAMETERS}) {`;
    const compile = (body: string): Compiled => this.#vm.evalCode(`${head}${body}\n})`, name);
    const parses = (body: string): boolean => {
      const compiled = compile(body);
      compiled.dispose();
      return compiled.error === undefined;
    };
    return compile(isMain ? settlingLast(text, parses) : text);
  }

  #mustEnd(): boolean {
    return (
      this.#hasBegun && (this.#exit !== undefined || this.#context.isOver() || this.#isTimeOver())
    );
  }

  /**
   * Stays true: where the clock stands still while code runs, counted steps no longer count once it moves, and the
   * reason for the interrupt would be lost.
   */
  #isTimeOver(): boolean {
    return (this.#wasTimeOver ||= this.#clock.computed() > this.#timeMs);
  }

  async #waiting(wait: () => Promise<void>): Promise<void> {
    this.#clock.stop();
    await wait();
    this.#clock.start();
  }

  async #makeChanges(): Promise<void> {
    const failure = await flush(this.#script.snapshot);
    if (failure === undefined) return;
    this.#result.stderr += failure;
    this.#exit ??= 1;
  }

  #print(stream: "stdout" | "stderr", text: string): void {
    this.#result[stream] += text;
    if (this.#result.stdout.length + this.#result.stderr.length <= this.#context.maxCharacters)
      return;
    this.#result.stderr += `js: more than ${this.#context.maxCharacters} characters of output\n`;
    this.#exit ??= 126;
  }

  /** Calls the sandbox; reports its uncaught error on stderr. */
  async #within(run: () => Promise<QuickJSHandle | undefined>): Promise<void> {
    if (this.#isBroken) return;
    this.#enter();
    try {
      const thrown = await run();
      this.#isEntered = false;
      if (thrown) this.#report(thrown);
    } catch (error) {
      this.#isBroken = true;
      if (!this.#endOverTime() && !(error instanceof ScriptEnded)) {
        this.#result.stderr += `js: the sandbox failed: ${errorMessage(error)}\n`;
        this.#exit ??= 1;
      }
    }
  }

  /** Reports whether the script has ended; ends it if its time is over. */
  #endOverTime(): boolean {
    if (this.#exit !== undefined || this.#context.signal.aborted) return true;
    if (!this.#isTimeOver()) return false;
    this.#result.stderr += `js: ended after ${this.#timeMs} ms of computing\n`;
    this.#exit = 124;
    return true;
  }

  #report(error: QuickJSHandle): void {
    // Inspecting a thrown value may run code of the script.
    const dumped: unknown = this.#endOverTime() ? undefined : this.#vm.dump(error);
    error.dispose();
    if (this.#endOverTime()) return;
    this.#result.stderr += `Uncaught ${describe(dumped)}\n`;
    this.#exit = 1;
  }

  async #call(target: QuickJSHandle, name: string, ...args: QuickJSHandle[]): Promise<void> {
    if (this.#isBroken) return;
    const method = this.#scope.manage(this.#vm.getProp(target, name));
    await this.#within(() => this.#entrance.call(method, target, ...args));
  }
}

/** Applies the script's changes to the real files, in order. */
async function flush({ changes }: Snapshot): Promise<string | undefined> {
  for (let change = changes.shift(); change; change = changes.shift()) {
    try {
      await change.apply();
    } catch (error) {
      if (!(error instanceof FileSystemError)) throw error;
      changes.length = 0;
      return `js: ${error.message}${error.hint === "" ? "" : ` (${error.hint})`}\n`;
    }
  }
  return undefined;
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done);
  });
}

function bytesOf(vm: QuickJSContext, handle: QuickJSHandle): Uint8Array {
  using buffer = vm.getArrayBuffer(handle);
  return buffer.value.slice();
}

function toSandbox(vm: QuickJSContext, value: unknown): QuickJSHandle {
  return vm.unwrapResult(vm.evalCode(`(${JSON.stringify(value)})`, "js:start"));
}

function describe(error: unknown): string {
  if (typeof error !== "object" || error === null) return String(error);
  const text = (key: string): string => {
    const value: unknown = Reflect.get(error, key);
    return typeof value === "string" ? value : "";
  };
  return `${text("name")}: ${text("message")}\n${text("stack")}`.trimEnd();
}
