import type { Builtin } from "./builtin.ts";
import type { RareBuiltin } from "./rare.ts";
import { aliasBuiltin, unalias } from "./aliases.ts";
import { declare, exportBuiltin, local, readonly } from "./declare.ts";
import { cd, pwd } from "./directories/cd.ts";
import { echo } from "./echo.ts";
import {
  breakBuiltin,
  builtin,
  command,
  continueBuiltin,
  evalBuiltin,
  exec,
  exit,
  returnBuiltin,
  source,
} from "./flow.ts";
import { getopts, letBuiltin, shift } from "./arguments.ts";
import { set, shopt } from "./options.ts";
import { printf } from "./printf.ts";
import { read } from "./read.ts";
import { test } from "./test.ts";
import { trap } from "./jobs/trap.ts";
import { hash, type } from "./type.ts";
import { unset } from "./unset.ts";
import { wait } from "./jobs/wait.ts";

/** Builtins that few scripts use, which load with their first use. */
const later = (name: RareBuiltin): Builtin => {
  return async (process, args) => {
    const { rareBuiltins } = await import("./rare.ts");
    return rareBuiltins[name](process, args, name);
  };
};

/** The commands of the shell itself, by name. */
export const builtins: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  [":", () => 0],
  [".", source],
  ["[", test],
  ["alias", aliasBuiltin],
  ["break", breakBuiltin],
  ["builtin", builtin],
  ["caller", later("caller")],
  ["cd", cd],
  ["command", command],
  ["compgen", later("compgen")],
  ["complete", later("complete")],
  ["compopt", later("compopt")],
  ["continue", continueBuiltin],
  ["declare", declare],
  ["dirs", later("dirs")],
  ["disown", later("disown")],
  ["echo", echo],
  ["enable", later("enable")],
  ["eval", evalBuiltin],
  ["exec", exec],
  ["exit", exit],
  ["export", exportBuiltin],
  ["false", () => 1],
  ["getopts", getopts],
  ["hash", hash],
  ["jobs", later("jobs")],
  ["kill", later("kill")],
  ["let", letBuiltin],
  ["local", local],
  ["mapfile", later("mapfile")],
  ["popd", later("popd")],
  ["printf", printf],
  ["pushd", later("pushd")],
  ["pwd", pwd],
  ["read", read],
  ["readarray", later("readarray")],
  ["readonly", readonly],
  ["return", returnBuiltin],
  ["set", set],
  ["shift", shift],
  ["shopt", shopt],
  ["source", source],
  ["test", test],
  ["trap", trap],
  ["true", () => 0],
  ["type", type],
  ["typeset", declare],
  ["umask", later("umask")],
  ["unalias", unalias],
  ["unset", unset],
  ["wait", wait],
]);
