import type { ShellCommand } from "../../command.ts";
import { readTextOperand } from "../arguments.ts";

const MAX_NUMBER = Number.MAX_SAFE_INTEGER;

const DIVISIONS_PER_TURN = 10_000;

export const factor: ShellCommand = {
  name: "factor",
  async run(args, context) {
    const numbers =
      args.length > 0 ? args : (await readTextOperand(context, "-")).split(/\s+/).filter(Boolean);
    let stdout = "";
    for (const text of numbers) {
      let rest = Number(text);
      if (!/^\d+$/.test(text)) throw new Error(`'${text}' is not a valid positive integer`);
      if (rest > MAX_NUMBER) throw new Error(`'${text}' is too large`);
      const factors: number[] = [];
      for (let prime = 2; prime * prime <= rest; prime += prime === 2 ? 1 : 2) {
        while (rest % prime === 0) {
          factors.push(prime);
          rest /= prime;
        }
        if (prime % DIVISIONS_PER_TURN !== 1) continue;
        const turn = context.pace(DIVISIONS_PER_TURN);
        if (turn) await turn;
      }
      if (rest > 1) factors.push(rest);
      stdout += `${text}:${factors.map((factor) => ` ${factor}`).join("")}\n`;
    }
    return { stdout };
  },
};
