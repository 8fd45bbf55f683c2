import { singleQuoted } from "../expand/quoting.ts";
import { print, report } from "../run/process.ts";
import { withTexts } from "./builtin.ts";

export const aliasBuiltin = withTexts(async (process, args) => {
  const { aliases } = process.state;
  const shown = args.length === 0 || args[0] === "-p" ? [...aliases.keys()].sort() : args;
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

export const unalias = withTexts(async (process, args) => {
  const { aliases } = process.state;
  if (args[0] === "-a") aliases.clear();
  let status = 0;
  for (const name of args.filter((arg) => arg !== "-a")) {
    if (aliases.delete(name)) continue;
    await report(process, `unalias: ${name}: not found`);
    status = 1;
  }
  return status;
});
