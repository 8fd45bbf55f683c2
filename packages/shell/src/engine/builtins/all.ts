import type { Builtin } from "./builtin.ts";
import { aliasBuiltin, unalias } from "./aliases.ts";
import { caller } from "./caller.ts";
import { compgen } from "./completion/compgen.ts";
import { complete, compopt } from "./completion/complete.ts";
import { declare, exportBuiltin, local, readonly } from "./declare.ts";
import { cd, pwd } from "./directories/cd.ts";
import { dirs, popd, pushd } from "./directories/stack.ts";
import { echo } from "./echo.ts";
import { enable } from "./enable.ts";
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
import { disown, jobs } from "./jobs/jobs.ts";
import { kill } from "./jobs/kill.ts";
import { mapfile } from "./mapfile.ts";
import { set, shopt } from "./options.ts";
import { printf } from "./printf.ts";
import { read } from "./read.ts";
import { test } from "./test.ts";
import { trap } from "./jobs/trap.ts";
import { hash, type } from "./type.ts";
import { umask } from "./umask.ts";
import { unset } from "./unset.ts";
import { wait } from "./jobs/wait.ts";

/** The commands of the shell itself, by name. */
export const builtins: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  [":", () => 0],
  [".", source],
  ["[", test],
  ["alias", aliasBuiltin],
  ["break", breakBuiltin],
  ["builtin", builtin],
  ["caller", caller],
  ["cd", cd],
  ["command", command],
  ["compgen", compgen],
  ["complete", complete],
  ["compopt", compopt],
  ["continue", continueBuiltin],
  ["declare", declare],
  ["dirs", dirs],
  ["disown", disown],
  ["echo", echo],
  ["enable", enable],
  ["eval", evalBuiltin],
  ["exec", exec],
  ["exit", exit],
  ["export", exportBuiltin],
  ["false", () => 1],
  ["getopts", getopts],
  ["hash", hash],
  ["jobs", jobs],
  ["kill", kill],
  ["let", letBuiltin],
  ["local", local],
  ["mapfile", mapfile],
  ["popd", popd],
  ["printf", printf],
  ["pushd", pushd],
  ["pwd", pwd],
  ["read", read],
  ["readarray", mapfile],
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
  ["umask", umask],
  ["unalias", unalias],
  ["unset", unset],
  ["wait", wait],
]);
