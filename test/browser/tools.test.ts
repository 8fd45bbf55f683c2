import { it } from "vitest";
import { withHost } from "../hosts/browser.ts";
import { keepsLongOutput } from "../support/tool-scenario.ts";

it("keeps long output for Read in a tab's files, with its shell in a worker", () =>
  withHost(keepsLongOutput));
