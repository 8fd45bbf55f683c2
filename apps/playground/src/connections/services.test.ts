import { compatiblePresets } from "@robota/runtime/providers/openai";
import { expect, it } from "vitest";
import { services } from "./services.ts";

it("has every preset of the runtime, at its address", () => {
  for (const [name, preset] of Object.entries(compatiblePresets)) {
    const service = services[name as keyof typeof compatiblePresets];
    expect(service.baseURL, name).toBe(preset.baseURL);
    expect(service.title, name).toBe(preset.title);
    expect(service.key === "required", name).toBe("keyVariable" in preset);
  }
});
