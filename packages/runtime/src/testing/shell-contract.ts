import { type ContractCase, contractCases } from "./contract.ts";
import { environmentCases } from "./shell-cases/environment.ts";
import type { ShellFixture } from "./shell-cases/fixture.ts";
import { languageCases } from "./shell-cases/language.ts";
import { outputCases } from "./shell-cases/output.ts";
import { statusCases } from "./shell-cases/status.ts";
import { stoppingCases } from "./shell-cases/stopping.ts";

/**
 * The promises of `Shell`, as cases that any test runner can run. `create` gives a shell and an empty directory each
 * time. The scripts use only POSIX features, so they hold for a native bash and for an interpreted one.
 */
export function shellContract(create: () => ShellFixture | Promise<ShellFixture>): ContractCase[] {
  return contractCases(
    { ...statusCases, ...outputCases, ...environmentCases, ...languageCases, ...stoppingCases },
    create,
  );
}
