import { expect, it } from "vitest";
import { parseArguments } from "./parse-arguments.ts";

const variables = {
  ROBOTA_PERMISSION_MODE: "plan",
  ROBOTA_PROVIDER: "offline",
  ROBOTA_MODEL: "m",
  ROBOTA_MAX_TURNS: "3",
};

it("falls back to the environment for omitted options", () => {
  expect(parseArguments(["-p", "go"], { cwd: "/w", environment: variables })).toMatchObject({
    permissionMode: "plan",
    provider: "offline",
    model: "m",
    maxTurns: 3,
  });
  const flags = ["-p", "go", "--permission-mode", "default", "--model", "other"];
  expect(parseArguments(flags, { cwd: "/w", environment: variables })).toMatchObject({
    permissionMode: "default",
    provider: "offline",
    model: "other",
  });
  expect(
    parseArguments(["-p", "go"], { cwd: "/w", environment: { ROBOTA_MODEL: "" } }),
  ).toMatchObject({
    model: undefined,
  });
});

it("names the environment variable with an invalid value", () => {
  expect(() =>
    parseArguments(["-p", "go"], { cwd: "/w", environment: { ROBOTA_PROVIDER: "nobody" } }),
  ).toThrow(/ROBOTA_PROVIDER/);
  expect(() =>
    parseArguments(["-p", "go"], { cwd: "/w", environment: { ROBOTA_MAX_TURNS: "many" } }),
  ).toThrow(/ROBOTA_MAX_TURNS/);
});
