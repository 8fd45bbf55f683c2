import type { ContractCase } from "@robota/runtime/testing";
import { describe, it } from "vitest";

/** Runs the cases of a port's contract, each as a test of its own. */
export function runContract(port: string, cases: readonly ContractCase[]): void {
  describe(port, () => {
    for (const contractCase of cases) it(contractCase.name, () => contractCase.run());
  });
}
