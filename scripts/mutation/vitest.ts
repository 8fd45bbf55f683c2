// Stands in for `vitest` where `runner.ts` loads test files: collects tests instead of running them.
export { expect } from "vitest";

export interface CollectedTest {
  name: string;
  run: () => unknown;
}

interface Suite {
  names: string[];
  tests: CollectedTest[];
}

type Body = (...values: unknown[]) => unknown;

const suite: Suite = { names: [], tests: [] };

/** Returns the tests collected since the last call. */
export function collected(): CollectedTest[] {
  return suite.tests.splice(0);
}

export const describe = Object.assign(
  (name: string, body: Body): void => {
    suite.names.push(name);
    body();
    suite.names.pop();
  },
  { each: eachOf((name, body) => describe(name, body)) },
);

export const it = Object.assign(
  (name: string, body: Body): void => {
    suite.tests.push({ name: [...suite.names, name].join(" > "), run: () => body() });
  },
  { each: eachOf((name, body) => it(name, body)) },
);

function eachOf(
  tell: (name: string, body: Body) => void,
): (cases: readonly unknown[]) => (name: string, body: Body) => void {
  return (cases) => (name, body) => {
    for (const [index, values] of cases.entries()) {
      const list: unknown[] = Array.isArray(values) ? values : [values];
      tell(`${name} #${index}`, () => body(...list));
    }
  };
}
