import { withHost } from "#host";
import { readSettings } from "@robota/runtime/settings";
import { expect, it } from "vitest";
import {
  CWD,
  hostWith,
  openSession,
  settingsOf,
  systemText,
} from "../../support/settings-support.ts";

const ENV = {
  ROBOTA_PERMISSION_MODE: "plan",
  ROBOTA_MODEL: "gpt-5.5",
  ROBOTA_LANGUAGE: "Korean",
  ROBOTA_MAX_TURNS: "7",
};

it("gives environment variables precedence over every file, below options", async () => {
  const files = {
    [`${CWD}/.robota/settings.local.json`]: { language: "Irish", maxTurns: 1 },
    "~/.robota/settings.json": { provider: { model: "small", baseURL: "https://example.com" } },
  };
  const { values, sources } = await settingsOf(files, { env: ENV, settings: { maxTurns: 9 } });
  expect(values).toMatchObject({
    language: "Korean",
    maxTurns: 9,
    permissions: { defaultMode: "plan" },
    provider: { model: "gpt-5.5", baseURL: "https://example.com" },
  });
  expect(sources).toMatchObject({
    language: "environment",
    maxTurns: "invocation",
    "permissions.defaultMode": "environment",
    "provider.model": "environment",
    "provider.baseURL": "~/.robota/settings.json",
  });
});

it("applies the environment's language and mode, without any file", async () => {
  await withHost(async ({ platform, cwd }) => {
    const env = (name: string): string | undefined =>
      name.startsWith("ROBOTA_") ? ENV[name as keyof typeof ENV] : platform.env(name);
    const { session, provider } = openSession({ ...platform, env }, { cwd }, [{ text: "a" }]);
    await session.submit("Hi");
    expect(session.getPermissionMode()).toBe("plan");
    expect(session.getLanguage()).toBe("Korean");
    expect(systemText(provider)).toContain("Answer in Korean.");
    await session.shutdown();
  });
});

it.each([
  ["ROBOTA_MAX_TURNS", "many", "must be a whole number"],
  ["ROBOTA_PERMISSION_MODE", "yolo", "must be one of plan"],
  ["ROBOTA_LANGUAGE", "Speak as I say: 1", "must be a language's name"],
])("refuses %s as %s, with an explanation", async (name, value, words) => {
  await expect(readSettings(hostWith({}, { [name]: value }), { cwd: CWD })).rejects.toMatchObject({
    code: "CONFIGURATION_ERROR",
    message: expect.stringMatching(new RegExp(`${name}.*${words}`)) as string,
    hint: expect.stringContaining(name) as string,
  });
});

it("ignores an empty variable", async () => {
  const { values } = await readSettings(hostWith({}, { ROBOTA_LANGUAGE: " " }), { cwd: CWD });
  expect(values).toEqual({});
});
