// Gives all packages a version: `node scripts/packaging/set-version.ts 0.2.0`.
import { root } from "./bundle-entry.ts";
import { setVersion } from "./release.ts";

const [version] = process.argv.slice(2);
if (!version) throw new Error("Name the version, such as 0.2.0");
setVersion(version, root);
