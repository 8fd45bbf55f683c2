import type { ShellCommand } from "../../command.ts";
import { readTextOperand } from "../arguments.ts";

/** Orders names so that each comes after its dependencies. */
export const tsort: ShellCommand = {
  name: "tsort",
  async run(args, context) {
    const words = (await readTextOperand(context, args[0] ?? "-")).split(/\s+/).filter(Boolean);
    if (words.length % 2 === 1)
      throw new Error(`${args[0] ?? "-"}: input contains an odd number of tokens`);
    const after = new Map<string, Set<string>>();
    const waiting = new Map<string, number>();
    for (let at = 0; at < words.length; at += 2) {
      const [one = "", other = ""] = [words[at], words[at + 1]];
      for (const name of [one, other]) {
        if (!after.has(name)) after.set(name, new Set());
        if (!waiting.has(name)) waiting.set(name, 0);
      }
      if (one === other || after.get(one)?.has(other)) continue;
      after.get(one)?.add(other);
      waiting.set(other, (waiting.get(other) ?? 0) + 1);
    }
    const ready = [...waiting]
      .filter(([, count]) => count === 0)
      .map(([name]) => name)
      .sort();
    const ordered: string[] = [];
    for (const name of ready) {
      ordered.push(name);
      for (const next of after.get(name) ?? []) {
        const count = (waiting.get(next) ?? 0) - 1;
        waiting.set(next, count);
        if (count === 0) ready.push(next);
      }
    }
    const stdout = ordered.map((name) => `${name}\n`).join("");
    if (ordered.length === waiting.size) return { stdout };
    const placed = new Set(ordered);
    const looped = [...waiting.keys()].filter((name) => !placed.has(name));
    return {
      stdout: stdout + looped.map((name) => `${name}\n`).join(""),
      stderr: `tsort: -: input contains a loop:\n${looped.map((name) => `tsort: ${name}\n`).join("")}`,
      exitCode: 1,
    };
  },
};
