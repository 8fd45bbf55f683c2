// Runs as a process of its own, to be killed: `death-worker <task> <directory> <number>`. Each line on its standard
// output is written at once and by itself, so whatever was told before the kill arrives.
import { createHash } from "node:crypto";
import { writeSync } from "node:fs";
import { join } from "node:path";
import { NodeFileSystem, NodeStorage } from "@robota/adapters-node";

const [task, directory = "", number = "0"] = process.argv.slice(2);
const fs = new NodeFileSystem();
const storage = new NodeStorage({ directory: join(directory, "storage") });
const report = (line: string): unknown => writeSync(1, `${line}\n`);
const encode = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

/** Text that shows by itself whether it is whole. */
function sealed(generation: number, length: number): string {
  const body = `${generation}:${"x".repeat(length)}`;
  return `${body}:${createHash("sha256").update(body).digest("hex")}`;
}

/** Calls `operation` with one number after another, and tells each one that was acknowledged. */
async function repeat(
  kind: string,
  operation: (generation: number) => Promise<unknown>,
): Promise<never> {
  for (let generation = Number(number); ; generation++) {
    const result = await operation(generation);
    report(`${kind} ${generation} ${typeof result === "number" ? result : ""}`);
  }
}

const tasks: Record<string, () => Promise<unknown>> = {
  async store() {
    await Promise.all([
      repeat("write", (generation) =>
        fs.writeFile(join(directory, "file"), sealed(generation, (generation * 7919) % 300_000)),
      ),
      repeat("appendFile", (generation) =>
        fs.appendFile(
          join(directory, "lines"),
          `<${sealed(generation, (generation * 31) % 9000)}>`,
        ),
      ),
      repeat("set", (generation) =>
        storage.set("a/value", encode(sealed(generation, (generation * 104_729) % 100_000))),
      ),
      repeat("append", (generation) => {
        const size = 1 + (generation % 4);
        const entry = (part: number) =>
          encode({ generation, part, size, text: "y".repeat((generation * 613) % 20_000) });
        return storage.append(
          "a/log",
          Array.from({ length: size }, (_, part) => entry(part)),
        );
      }),
    ]);
  },

  async hold() {
    const lease = await storage.acquire("name");
    lease.lost.addEventListener("abort", () => {
      report("lost");
      process.exit();
    });
    report("held");
    setInterval(() => {}, 1000);
  },

  async count() {
    for (let left = Number(number); left > 0;) {
      const ifMatch = (await storage.version("counter")) ?? null;
      const value = new TextDecoder().decode(await storage.get("counter"));
      const next = new TextEncoder().encode(String(Number(value) + 1));
      try {
        await storage.set("counter", next, { ifMatch });
        left--;
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "CONFLICT")) throw error;
      }
      await storage.append("counted", [next, next]);
    }
  },

  async take() {
    for (let left = Number(number); left > 0; left--) {
      await using _lease = await storage.acquire("shared");
      // Fails when somebody else is inside.
      await fs.mkdir(join(directory, "inside"));
      await fs.remove(join(directory, "inside"));
      report("took");
    }
  },
};

await tasks[task ?? ""]?.();
