import { singleQuoted } from "../../expand/quoting.ts";
import { signalNumber, signalTable } from "../../jobs/signals.ts";
import { print, type Process, report } from "../../run/process.ts";
import { parseOptions, withTexts } from "../builtin.ts";

const LAST = ["DEBUG", "ERR", "RETURN"];
const EVENTS = ["EXIT", ...LAST];
const USAGE = "trap: usage: trap [-lp] [[arg] signal_spec ...]\n";

/** `trap`: sets, resets or lists (`-p`) the commands of signals and events. `-l` lists the signals. */
export const trap = withTexts(async (process, args, name) => {
  const { options, rest, wrong } = parseOptions(args, { flags: "lp" });
  if (wrong !== undefined) {
    await report(process, `${name}: ${wrong}: invalid option`);
    return misused(process);
  }
  if (options.has("l")) {
    await print(process, 1, signalTable());
    return 0;
  }
  if (options.has("p") || rest.length === 0) return list(process, rest, name);
  const [first = "", ...others] = rest;
  const isAlone = others.length === 0;
  if (isAlone && nameOf(first) === undefined) return misused(process);
  const isReset = first === "-" || isAlone || /^\d+$/.test(first);
  return change(process, isReset && first !== "-" ? rest : others, {
    name,
    command: isReset ? undefined : first,
  });
});

async function misused(process: Process): Promise<number> {
  await print(process, 2, USAGE);
  return 2;
}

/** @param command `undefined` resets the trap */
async function change(
  process: Process,
  events: readonly string[],
  { name, command }: { name: string; command: string | undefined },
): Promise<number> {
  const { state } = process;
  let status = 0;
  for (const event of events) {
    const key = nameOf(event);
    if (key === undefined) {
      await report(process, `${name}: ${event}: invalid signal specification`);
      status = 1;
    } else if (!state.ignored.has(key)) {
      state.listedTraps = undefined;
      if (command === undefined) state.traps.delete(key);
      else state.traps.set(key, command);
    }
  }
  return status;
}

async function list(process: Process, events: readonly string[], name: string): Promise<number> {
  const traps = process.state.listedTraps ?? process.state.traps;
  let status = 0;
  for (const event of events.length > 0 ? events : inOrder(traps)) {
    const key = nameOf(event);
    const command = traps.get(key ?? "");
    if (key === undefined) {
      await report(process, `${name}: ${event}: invalid signal specification`);
      status = 1;
    } else if (command !== undefined) {
      const label = EVENTS.includes(key) ? key : `SIG${key}`;
      await print(process, 1, `trap -- ${singleQuoted(command)} ${label}\n`);
    }
  }
  return status;
}

/** Signals by their numbers, then the events of the shell. */
function inOrder(traps: ReadonlyMap<string, string>): string[] {
  const rankOf = (event: string): number =>
    signalNumber(event)?.number ?? LAST.indexOf(event) + 100;
  return Array.from(traps.keys(), (event) => ({ event, rank: rankOf(event) }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ event }) => event);
}

function nameOf(event: string): string | undefined {
  const upper = event.toUpperCase();
  return LAST.includes(upper) ? upper : signalNumber(event)?.name;
}
