import type { ShellCommand } from "../command.ts";
import { cmp } from "./cmp.ts";
import { diff } from "./diff.ts";
import { gunzip, gzip, zcat } from "./gzip.ts";
import { ls } from "./ls.ts";
import { od } from "./od.ts";
import { realpath } from "./realpath.ts";
import { mktemp, nproc, paste, shuf, uname, xargs, yes } from "./small.ts";

/** What people and agents write all the time and the interpreter lacks or words differently than GNU programs do. */
export const addedCommands: readonly ShellCommand[] = [
  cmp,
  diff,
  gunzip,
  gzip,
  ls,
  mktemp,
  nproc,
  od,
  paste,
  realpath,
  shuf,
  uname,
  xargs,
  yes,
  zcat,
];
