import { styleText } from "node:util";
import type { Platform } from "@robota/runtime";
import type { OutputFormat } from "../arguments/commands.ts";
import { printable } from "../printable.ts";
import { type Check, localChecks } from "./local-checks.ts";
import { serviceChecks } from "./service-checks.ts";

const SIGNS = { ok: "✓", missing: "–", failed: "✗" } as const;
const COLORS = { ok: "green", missing: "dim", failed: "red" } as const;

/** Prints what works on this machine, and what to do where something does not. 1 when a check failed. */
export async function runDoctor(
  { cwd, outputFormat }: { cwd: string; outputFormat: OutputFormat },
  platform: Platform,
): Promise<number> {
  const checks = [...(await localChecks(cwd, platform)), ...(await serviceChecks(platform))];
  if (outputFormat === "text") for (const check of checks) process.stdout.write(lineOf(check));
  else process.stdout.write(`${JSON.stringify(checks)}\n`);
  return checks.some(({ state }) => state === "failed") ? 1 : 0;
}

function lineOf({ name, state, detail, fix }: Check): string {
  const sign = styleText(COLORS[state], SIGNS[state], { stream: process.stdout });
  const line = `${sign} ${name.padEnd(18)} ${printable(detail)}\n`;
  return fix === undefined ? line : `${line}  ${"".padEnd(18)} ${printable(fix)}\n`;
}
