import { conformsToBash } from "../conformance/suite.ts";
import { withHost } from "../hosts/workerd.ts";

conformsToBash("The shell over a Durable Object's files", (run) =>
  withHost(({ platform }) => run(platform)),
);
