import { expect, it } from "vitest";
import { parseArguments } from "./arguments.ts";

const variables = {
  ROBOTA_PERMISSION_MODE: "plan",
  ROBOTA_PROVIDER: "offline",
  ROBOTA_MODEL: "m",
  ROBOTA_MAX_TURNS: "3",
};

it("falls back to the environment for omitted options", () => {
  expect(parseArguments(["-p", "go"], "/w", variables)).toMatchObject({
    permissionMode: "plan",
    provider: "offline",
    model: "m",
    maxTurns: 3,
  });
  const flags = ["-p", "go", "--permission-mode", "default", "--model", "other"];
  expect(parseArguments(flags, "/w", variables)).toMatchObject({
    permissionMode: "default",
    provider: "offline",
    model: "other",
  });
  expect(parseArguments(["-p", "go"], "/w", { ROBOTA_MODEL: "" })).toMatchObject({
    model: undefined,
  });
});

it("names the environment variable with an invalid value", () => {
  expect(() => parseArguments(["-p", "go"], "/w", { ROBOTA_PROVIDER: "nobody" })).toThrow(
    /ROBOTA_PROVIDER/,
  );
  expect(() => parseArguments(["-p", "go"], "/w", { ROBOTA_MAX_TURNS: "many" })).toThrow(
    /ROBOTA_MAX_TURNS/,
  );
});
