import { MemoryFileSystem } from "@robota/runtime/virtual";
import { expect, it, onTestFinished, vi } from "vitest";
import { VirtualShell } from "../../virtual-shell.ts";
import { loadEngine } from "./engine.ts";

/** Collects what is printed to the host's console. QuickJS binds the console's functions when it is loaded. */
function listenToConsole() {
  const printed: unknown[] = [];
  for (const method of ["log", "info", "debug", "warn", "error"] as const) {
    const spy = vi.spyOn(console, method).mockImplementation((...args) => void printed.push(args));
    onTestFinished(() => spy.mockRestore());
  }
  return printed;
}

it("prints nothing to the host's console when QuickJS aborts", async () => {
  const printed = listenToConsole();
  const engine = await loadEngine({}).catch(() => undefined);
  // Some hosts can't compile WebAssembly from bytes.
  if (!engine) return;
  const runtime = (await engine.take()).newRuntime();
  const context = runtime.newContext();
  context.newObject();
  context.dispose();
  // An object of the sandbox still exists, which QuickJS asserts against.
  expect(() => runtime.dispose()).toThrow("Aborted");
  expect(printed).toEqual([]);
});

it.each([
  ["fails", "throw new Error('x')", /Uncaught Error: x/],
  ["does not compile", "for (", /SyntaxError/],
  ["exhausts its stack", "const f = () => f(); f()", /stack overflow/],
  ["exhausts the host's stack", "eval('('.repeat(1e5))", /stack|memory/],
  ["exhausts its memory", "const all = []; for (;;) all.push({})", /out of memory/],
  ["computes for too long", "for (;;);", /ended after 1000 ms/],
])("prints nothing to the host's console when a script %s", async (_, code, says) => {
  const printed = listenToConsole();
  const fs = new MemoryFileSystem({ files: { "/code/a.js": code } });
  const shell = new VirtualShell({ fs, scripts: { timeMs: 1_000, memoryBytes: 1_000_000 } });
  const { stderr } = await shell.exec("js a.js", { cwd: "/code" });
  if (!stderr.includes("scripts can't run on this host")) expect(stderr).toMatch(says);
  expect(printed).toEqual([]);
});
