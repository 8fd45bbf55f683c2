#!/usr/bin/env node
import { keepCompiledCode } from "./start/compiled-code.ts";
import { handOverEnvironment } from "./start/hand-over.ts";
import { tooOld } from "./start/node-version.ts";

const problem = tooOld("command");
if (problem === undefined) {
  // Before anything else is loaded: the process may begin anew.
  handOverEnvironment();
  keepCompiledCode(new URL("../../package.json", import.meta.url));
  const { runProgram } = await import("./program.ts");
  await runProgram(process.argv.slice(2));
} else {
  // An older Node could not even load the rest.
  process.stderr.write(`robota: ${problem}.\nInstall a newer one from https://nodejs.org.\n`);
  process.exitCode = 1;
}
