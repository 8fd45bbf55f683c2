import { print, type Program, report, spawnProcess } from "../run/process.ts";
import { parseOptions } from "../builtins/builtin.ts";
import { hideFunctions } from "../state/shell-state.ts";

/** `env`: prints the environment, or runs a program in another one. `-i`, `-u NAME`, `-0`, `-C DIRECTORY` and `-S`. */
export const env: Program = {
  name: "env",
  async run({ process, args }) {
    const { options, rest, wrong } = parseOptions(args, { flags: "i0v", valued: "uCS" });
    if (wrong !== undefined) {
      await report(process, `env: invalid option ${wrong}`);
      return 125;
    }
    const child = spawnProcess(process);
    child.isSole = true;
    const { variables } = child.state;
    const isEmptied = options.has("i") || rest[0] === "-";
    if (isEmptied) for (const name of Object.keys(variables.exported())) variables.delete(name);
    const unset = options.get("u");
    if (unset !== undefined) variables.delete(unset);
    const words = [
      ...(options.get("S")?.split(/\s+/) ?? []),
      ...rest.slice(rest[0] === "-" ? 1 : 0),
    ];
    let at = 0;
    for (; /^[^=]+=/.test(words[at] ?? ""); at++) {
      const [name = "", ...value] = (words[at] ?? "").split("=");
      variables.set(name, value.join("="));
      variables.setAttribute(name, "exported", true);
    }
    hideFunctions(child.state);
    if (isEmptied) child.state.inherited = new Map();
    const { interpreter } = process.run;
    return interpreter.finish(child, async () => {
      if (at < words.length)
        return interpreter.runWords(child, words.slice(at), { skipsFunctions: true });
      const end = options.has("0") ? "\0" : "\n";
      const lines = Object.entries(variables.exported()).map(
        ([name, value]) => `${name}=${value}${end}`,
      );
      await print(child, 1, lines.join(""));
      return 0;
    });
  },
};
