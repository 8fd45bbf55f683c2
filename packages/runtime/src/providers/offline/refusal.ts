import type { NotUnderstood } from "./script.ts";

/** An honest no: a script that pretended to understand would teach the wrong thing. */
export function refusal({ line, closest }: NotUnderstood): string {
  const suggestions = closest.map(({ usage, does }) => `- \`${usage}\`: ${does}`);
  const said =
    line === ""
      ? ["There is nothing to do: I'm a script, I need a command."]
      : ["I'm a script, I don't understand free text.", `I can't read this line: ${quoted(line)}`];
  return [
    ...said,
    `Closest commands:\n${suggestions.join("\n")}`,
    "`help` lists all of them. For free text, choose a real model.",
  ].join("\n\n");
}

function quoted(line: string): string {
  return line.length > 200 ? `"${line.slice(0, 200).toWellFormed()}…"` : `"${line}"`;
}
