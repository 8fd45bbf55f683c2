import { singleQuoted } from "../expand/quoting.ts";
import { print, report } from "../run/process.ts";
import { parseOptions, withTexts } from "./builtin.ts";

export const aliasBuiltin = withTexts(async (process, args, builtin) => {
  const { aliases } = process.state;
  const { options, rest, wrong } = parseOptions(args, { flags: "p" });
  if (wrong !== undefined) {
    await report(process, `${builtin}: ${wrong}: invalid option`);
    return 2;
  }
  const isAll = options.has("p") || rest.length === 0;
  const shown = [...(isAll ? [...aliases.keys()].sort() : []), ...rest];
  let status = 0;
  for (const arg of shown) {
    const [name = "", ...value] = arg.split("=");
    const known = aliases.get(name);
    if (value.length > 0) aliases.set(name, value.join("="));
    else if (known !== undefined) await print(process, 1, `alias ${name}=${singleQuoted(known)}\n`);
    else {
      await report(process, `alias: ${name}: not found`);
      status = 1;
    }
  }
  return status;
});

export const unalias = withTexts(async (process, args, builtin) => {
  const { aliases } = process.state;
  const { options, rest, wrong } = parseOptions(args, { flags: "a" });
  if (wrong !== undefined || args.length === 0) {
    await report(process, `${builtin}: ${wrong ?? "name"}: usage: unalias [-a] name [name ...]`);
    return 2;
  }
  if (options.has("a")) aliases.clear();
  let status = 0;
  for (const name of rest) {
    if (aliases.delete(name)) continue;
    await report(process, `unalias: ${name}: not found`);
    status = 1;
  }
  return status;
});
