import { caller } from "./caller.ts";
import { compgen } from "./completion/compgen.ts";
import { complete, compopt } from "./completion/complete.ts";
import { dirs, popd, pushd } from "./directories/stack.ts";
import { enable } from "./enable.ts";
import { disown, jobs } from "./jobs/jobs.ts";
import { kill } from "./jobs/kill.ts";
import { mapfile } from "./mapfile.ts";
import { umask } from "./umask.ts";

/** Builtins that few scripts use. */
export const rareBuiltins = {
  caller,
  compgen,
  complete,
  compopt,
  dirs,
  disown,
  enable,
  jobs,
  kill,
  mapfile,
  popd,
  pushd,
  readarray: mapfile,
  umask,
};

export type RareBuiltin = keyof typeof rareBuiltins;
