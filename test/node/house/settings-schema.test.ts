import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, it } from "vitest";
import schema from "../../../docs/settings.schema.json" with { type: "json" };
import { settingsJsonSchema } from "../../../packages/runtime/src/interactive/settings/settings-json-schema.ts";

it("is generated from the schemas that validate settings files", () => {
  expect(schema, "run scripts/docs/settings-schema.ts").toEqual(settingsJsonSchema());
  const isValid = new Ajv2020().compile(settingsJsonSchema());
  const settings = { language: "pt-BR", permissions: { deny: ["Bash(rm *)"] }, more: 1 };
  expect(isValid(settings)).toBe(true);
  for (const [name, setting] of Object.entries(settingsOf(schema.properties)))
    expect(setting, name).toHaveProperty("description");
  for (const wrong of [{ maxTurns: "many" }, { permissions: { defaultMode: "yolo" } }])
    expect(isValid(wrong), JSON.stringify(wrong)).toBe(false);
});

/** Every setting by its path, those within others too. */
function settingsOf(properties: object, path = ""): Record<string, object> {
  const found: Record<string, object> = {};
  for (const [name, setting] of Object.entries(properties) as [string, object][]) {
    found[`${path}${name}`] = setting;
    if ("properties" in setting && typeof setting.properties === "object" && setting.properties)
      Object.assign(found, settingsOf(setting.properties, `${path}${name}.`));
  }
  return found;
}
