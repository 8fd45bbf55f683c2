import { formatFloat } from "../../engine/builtins/printf-numbers.ts";

/** Compiles a format with a single floating-point directive, such as `%03g` or `x%.2fy`. @throws {Error} for others */
export function compileNumberFormat(format: string): (value: number) => string {
  const directives = [...format.matchAll(/%(?:%|([-+ #0']*)(\d*)(?:\.(\d*))?([a-zA-Z])?)/g)];
  const used = directives.filter(([whole]) => whole !== "%%");
  const [first, second] = used;
  if (!first) throw new Error(`format '${format}' has no % directive`);
  if (second) throw new Error(`format '${format}' has too many % directives`);
  const [whole, flags = "", width = "", digits, letter = ""] = first;
  if (!/^[aefgAEFG]$/.test(letter))
    throw new Error(`format '${format}' has unknown %${letter} directive`);
  const literal = (text: string): string => text.replaceAll("%%", "%");
  const [before, after] = [
    literal(format.slice(0, first.index)),
    literal(format.slice(first.index + whole.length)),
  ];
  const precision = digits === undefined ? undefined : Number(digits);
  return (value) => {
    const text = formatFloat(value, letter, { flags, precision });
    return before + padded(text, flags, Number(width)) + after;
  };
}

function padded(text: string, flags: string, width: number): string {
  if (flags.includes("-")) return text.padEnd(width);
  if (!flags.includes("0")) return text.padStart(width);
  const sign = /^[-+ ]/.exec(text)?.[0] ?? "";
  return sign + text.slice(sign.length).padStart(width - sign.length, "0");
}
