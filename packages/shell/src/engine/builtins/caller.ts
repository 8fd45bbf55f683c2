import { print, report } from "../run/process.ts";
import { callStack } from "../state/call-stack.ts";
import { withTexts } from "./builtin.ts";

/** `caller`: the line and the file of a call; with a number, of the call so many levels up, and the function it is in. */
export const caller = withTexts(async (process, args) => {
  const stack = callStack(process.state);
  if (stack.length === 0) return 1;
  const [text] = args[0] === "--" ? args.slice(1) : args;
  if (text !== undefined && !/^\s*\+?\d+\s*$/.test(text)) {
    const reason = text.startsWith("-") ? "invalid option" : "invalid number";
    await report(process, `caller: ${text}: ${reason}`);
    return 2;
  }
  const level = Number(text ?? 0);
  const [called, calling] = [stack[level], stack[level + 1]];
  if (!called || (text !== undefined && !calling)) return 1;
  const place = text === undefined ? [] : [calling?.name ?? ""];
  const line = [called.line, ...place, calling?.source ?? "NULL"].join(" ");
  await print(process, 1, `${line}\n`);
  return 0;
});
