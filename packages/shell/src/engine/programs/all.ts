import type { Program } from "../run/process.ts";
import { env } from "./env.ts";
import { runners } from "./runners.ts";
import { shellPrograms } from "./shells.ts";
import { timeout } from "./timeout.ts";

/** Programs that run others in processes of their own, with the streams that they were given. */
export const ownPrograms: readonly Program[] = [...shellPrograms(), env, timeout, ...runners];
