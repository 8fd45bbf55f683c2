import { decodeText } from "@robota/runtime/ports";
import type { ShellCommand } from "../../command.ts";

/** Substitutes exported variables; with a list as its operand only those it names. */
export const envsubst: ShellCommand = {
  name: "envsubst",
  async run(args, { env, input }) {
    const pattern = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g;
    const [list] = args;
    const named =
      list === undefined
        ? undefined
        : new Set([...list.matchAll(pattern)].map((match) => match[1] ?? match[2]));
    const text = decodeText(await input());
    const stdout = text.replace(pattern, (whole, braced?: string, bare?: string) => {
      const name = braced ?? bare ?? "";
      return named && !named.has(name) ? whole : (env[name] ?? "");
    });
    return { stdout };
  },
};
