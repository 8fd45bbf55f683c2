import type { Program } from "../run/process.ts";
import { builtinPrograms } from "./builtin-programs.ts";
import { env } from "./env.ts";
import { help } from "./help.ts";
import { runners } from "./runners.ts";
import { shellPrograms } from "./shells.ts";
import { time } from "./time.ts";
import { timeout } from "./timeout.ts";
import { which } from "./which.ts";

/** Programs that run others in processes of their own, with the streams that they were given, or know the shell. */
export const ownPrograms: readonly Program[] = [
  ...shellPrograms(),
  ...builtinPrograms(),
  ...runners,
  env,
  help,
  time,
  timeout,
  which,
];
