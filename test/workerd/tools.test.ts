import { it } from "vitest";
import { withHost } from "../hosts/workerd.ts";
import { keepsLongOutput } from "../support/tool-scenario.ts";

it("keeps long output where Read finds it, in the files of a Durable Object", () =>
  withHost(keepsLongOutput));
