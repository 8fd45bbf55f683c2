#!/usr/bin/env node
import { keepCompiledCode } from "./start/compiled-code.ts";
import { handOverEnvironment } from "./start/hand-over.ts";
import { tooOld } from "./start/node-version.ts";

const problem = problemAtStart();
if (problem === undefined) {
  keepCompiledCode(new URL("../../package.json", import.meta.url));
  const { runProgram } = await import("./program.ts");
  await runProgram(process.argv.slice(2));
} else {
  process.stderr.write(`robota: ${problem}\n`);
  process.exitCode = 1;
}

function problemAtStart(): string | undefined {
  const old = tooOld("command");
  // An older Node could not even load the rest.
  if (old !== undefined) return `${old}.\nInstall a newer one from https://nodejs.org.`;
  // Before anything else is loaded: the process may begin anew.
  return handOverEnvironment();
}
