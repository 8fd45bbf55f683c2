import { it } from "vitest";
import { withHost } from "../hosts/browser.ts";
import { keepsLongOutput } from "../support/tool-scenario.ts";

it("keeps long output where Read finds it, in the files of a tab, and a shell in its worker", () =>
  withHost(keepsLongOutput));
