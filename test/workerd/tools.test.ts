import { it } from "vitest";
import { withHost } from "../hosts/workerd.ts";
import { keepsLongOutput } from "../support/tool-scenario.ts";

it("keeps long output for Read in a Durable Object's files", () => withHost(keepsLongOutput));
