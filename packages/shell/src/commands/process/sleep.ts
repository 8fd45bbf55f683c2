import type { ShellCommand } from "../../command.ts";
import { parseArguments } from "../arguments.ts";

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };
/** The longest time of a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Waits for the sum of its operands: numbers of seconds, or with a unit (`s`, `m`, `h`, `d`). */
export const sleep: ShellCommand = {
  name: "sleep",
  async run(args, { signal }) {
    const { operands } = parseArguments(args, {});
    if (operands.length === 0) throw new Error("missing operand");
    const seconds = operands.reduce((sum, operand) => sum + secondsOf(operand), 0);
    for (let left = seconds * 1_000; left > 0; left -= MAX_TIMER_MS)
      await wait(Math.min(left, MAX_TIMER_MS), signal);
    return {};
  },
};

function secondsOf(text: string): number {
  const [, number = "", unit = "s"] =
    /^(\d+\.?\d*(?:e[+-]?\d+)?|\.\d+|inf(?:inity)?)([smhd]?)$/i.exec(text) ?? [];
  if (number === "") throw new Error(`invalid time interval '${text}'`);
  const count = /^inf/i.test(number) ? Number.POSITIVE_INFINITY : Number(number);
  return count * (SECONDS[unit || "s"] ?? 1);
}

/** @throws the reason of an abort */
async function wait(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", end);
      resolve();
    }, ms);
    signal.addEventListener("abort", end, { once: true });
  });
}
