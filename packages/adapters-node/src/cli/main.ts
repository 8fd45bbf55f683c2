#!/usr/bin/env node
import { handOverEnvironment } from "./hand-over.ts";

// Before anything else is loaded: the process may begin anew.
handOverEnvironment();
const { runProgram } = await import("./program.ts");
await runProgram(process.argv.slice(2));
