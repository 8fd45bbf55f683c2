import { existsSync } from "node:fs";

const PROGRAMS = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

/** The Chromium of the tests, as `npm test` names it. The headless shell is the same engine at half the CPU time. */
export const chromiumProgram =
  process.env["ROBOTA_CHROMIUM"] ?? PROGRAMS.find((path) => existsSync(path)) ?? "chromium";
