import { approvals } from "./approvals.ts";
import { conversation } from "./conversation.ts";
import { dialogs } from "./dialogs.ts";
import { extensions } from "./extensions.ts";
import { inspector } from "./inspector.ts";
import type { Scene } from "./scene.ts";
import { servers } from "./servers.ts";
import { time } from "./time.ts";
import { writing } from "./writing.ts";
import { workspace } from "./workspace.ts";

/** Every state of the page. */
export const scenes: readonly Scene[] = [
  ...conversation,
  ...writing,
  ...approvals,
  ...workspace,
  ...inspector,
  ...time,
  ...dialogs,
  ...servers,
  ...extensions,
];
