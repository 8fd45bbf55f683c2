/** The part of the Trusted Types API in use here; TypeScript's DOM types lack it. */
interface Policy {
  createHTML: (text: string) => string;
  createScript: (text: string) => string;
  createScriptURL: (address: string) => string;
}

interface Factory {
  createPolicy: (name: string, rules: Policy) => Policy;
}

const rules: Policy = {
  createHTML: (text) => text,
  createScript: (text) => text,
  createScriptURL: (address) => address,
};

function factory(): Factory | undefined {
  const found: unknown = Reflect.get(globalThis, "trustedTypes");
  return found ? (found as Factory) : undefined;
}

/**
 * For a document that no window shows and that runs nothing: it becomes text for the preview's sandbox. Nothing else may
 * use this.
 */
export const trusted = factory()?.createPolicy("workspace-preview", rules) ?? rules;
