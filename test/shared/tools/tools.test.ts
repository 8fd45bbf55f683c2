import { it } from "vitest";
import { withMemory } from "../../hosts/memory.ts";
import { cutsLongOutput, keepsLongOutput, worksOnFiles } from "../../support/tool-scenario.ts";

it("works on files with its tools", () => withMemory(worksOnFiles));
it("keeps long output for Read", () => withMemory(keepsLongOutput));
it("shows 15,000 characters of each end of a long output", () => withMemory(cutsLongOutput));
