import { conformsToBash } from "../conformance/suite.ts";
import { withHost } from "../hosts/browser.ts";

conformsToBash("The shell in a worker over IndexedDB", (run) =>
  withHost(({ platform }) => run(platform)),
);
