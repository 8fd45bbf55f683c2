/** Positions of tabs on a line. */
export interface TabStops {
  /** The column of the next stop after `column`; `undefined` behind the last. */
  next(column: number): number | undefined;
}

/** Parses a list of stops: `8`, `4,8,12`, `4,/8` or `4,+8`. @throws {Error} for an invalid list */
export function parseTabStops(lists: readonly string[]): TabStops {
  const words = lists.flatMap((list) => list.split(/[\s,]+/)).filter((word) => word !== "");
  const stops: number[] = [];
  let [every, isRelative] = [0, false];
  words.forEach((word, at) => {
    const [, sign = "", digits = ""] = /^([/+]?)(\d+)$/.exec(word) ?? [];
    if (digits === "") throw new Error(`tab size contains invalid character(s): '${word}'`);
    const size = Number(digits);
    if (size === 0) throw new Error("tab size cannot be 0");
    if (sign !== "" && at < words.length - 1)
      throw new Error(`'${sign}' specifier only allowed with the last value`);
    if (sign !== "") [every, isRelative] = [size, sign === "+"];
    else if (size <= (stops.at(-1) ?? 0)) throw new Error("tab sizes must be ascending");
    else stops.push(size);
  });
  if (words.length === 0) return everyStop(8);
  if (every === 0 && stops.length === 1) return everyStop(stops[0] ?? 8);
  const last = stops.at(-1) ?? 0;
  const from = isRelative ? last : 0;
  return {
    next(column) {
      const stop = stops.find((one) => one > column);
      if (stop !== undefined || every === 0) return stop;
      return from + (Math.floor((column - from) / every) + 1) * every;
    },
  };
}

function everyStop(size: number): TabStops {
  return { next: (column) => (Math.floor(column / size) + 1) * size };
}

/** Rewrites the old form of stops, `-4` or `-4,8`, to `-t`. */
export function withoutOldStops(args: readonly string[]): string[] {
  return args.flatMap((arg) => (/^-\d[\d,]*$/.test(arg) ? ["-t", arg.slice(1)] : arg));
}
