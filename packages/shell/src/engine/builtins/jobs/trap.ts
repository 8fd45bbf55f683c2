import { singleQuoted } from "../../expand/quoting.ts";
import { print, report } from "../../run/process.ts";
import { parseOptions, withTexts } from "../builtin.ts";
import { signalNumber } from "./signals.ts";

const LAST = ["DEBUG", "ERR", "RETURN"];
const EVENTS = ["EXIT", ...LAST];

export const trap = withTexts(async (process, args, name) => {
  const { traps } = process.state;
  const { options, rest } = parseOptions(args, { flags: "lp" });
  if (options.has("p") || rest.length === 0) {
    const shown = rest.length > 0 ? rest.map((event) => nameOf(event) ?? event) : inOrder(traps);
    for (const event of shown) {
      const command = traps.get(event);
      const label = EVENTS.includes(event) ? event : `SIG${event}`;
      if (command !== undefined)
        await print(process, 1, `trap -- ${singleQuoted(command)} ${label}\n`);
    }
    return 0;
  }
  const [first = "", ...others] = rest;
  const isReset =
    first === "-" || (others.length === 0 && nameOf(first) !== undefined) || /^\d+$/.test(first);
  let status = 0;
  for (const event of isReset && first !== "-" ? rest : others) {
    const key = nameOf(event);
    if (key === undefined) {
      await report(process, `${name}: ${event}: invalid signal specification`);
      status = 1;
    } else if (isReset) traps.delete(key);
    else traps.set(key, first);
  }
  return status;
});

/** Signals by their numbers, then the events of the shell. */
function inOrder(traps: ReadonlyMap<string, string>): string[] {
  const rankOf = (event: string): number =>
    signalNumber(event)?.number ?? LAST.indexOf(event) + 100;
  const ranked = Array.from(traps.keys(), (event) => ({
    event,
    rank: event === "EXIT" ? 0 : rankOf(event),
  }));
  return ranked.sort((one, other) => one.rank - other.rank).map(({ event }) => event);
}

function nameOf(event: string): string | undefined {
  const upper = event.toUpperCase();
  return EVENTS.includes(upper) ? upper : signalNumber(event)?.name;
}
