import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, it } from "vitest";

it("serves the playground and the worker by one command, and ends both on a signal", async () => {
  const bootstrap = join(import.meta.dirname, "../../scripts/bootstrap.mjs");
  const program = spawn(process.execPath, [bootstrap, "start"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exit = once(program, "exit");
  try {
    let shown = "";
    for (const stream of [program.stdout, program.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => (shown += text));
    }
    const address = async (name: string): Promise<string> => {
      const line = new RegExp(`^ +${name} +(http://\\S+)`, "m");
      await expect.poll(() => shown, { timeout: 100_000 }).toMatch(line);
      return line.exec(shown)?.[1] ?? "";
    };
    const playground = await address("Playground");
    const worker = await address("Worker");
    expect(await (await fetch(playground)).text()).toContain("<title>Robota");
    expect((await fetch(`${worker}/healthz`)).status).toBe(200);
    program.kill("SIGTERM");
    await exit;
    for (const url of [playground, worker]) {
      await expect.poll(() => fetch(url).catch(() => "gone")).toBe("gone");
    }
  } finally {
    program.kill("SIGTERM");
  }
}, 240_000);
