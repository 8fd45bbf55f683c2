import { withHost } from "#host";
import { it } from "vitest";
import { keepsLongOutput, worksOnFiles } from "../tool-scenario.ts";

it("works on real files, with real commands", { timeout: 30_000 }, () => withHost(worksOnFiles));
it("keeps long output where Read finds it", () => withHost(keepsLongOutput));
