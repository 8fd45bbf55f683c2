import { expect, it } from "vitest";
import { bundleEntry } from "../../../scripts/packaging/bundle-entry.ts";

it.each(["browser", "workerd"] as const)(
  "loads a provider from the environment only when it is selected, in %s",
  async (target) => {
    const code = 'export * from "@robota/runtime/providers/environment";';
    const { firstLoad, whole, metafile } = await bundleEntry(code, target);
    expect(firstLoad).toBeLessThan(6_000);
    // The providers of all services are in what loads later.
    expect(whole).toBeGreaterThan(10 * firstLoad);
    const imports = Object.values(metafile.outputs).find(
      ({ entryPoint }) => entryPoint === "<stdin>",
    )?.imports;
    expect(imports?.filter(({ kind }) => kind === "dynamic-import").length).toBeGreaterThan(2);
  },
);
