import { browserPlatform } from "@robota/adapters-web";
import {
  holdSession,
  type Reported,
  type Visit,
  visitSession,
} from "../../support/session-visit.ts";

/** A tab that holds a session, or comes by while another one does. */
declare global {
  var tab: {
    readonly reported: readonly Reported[];
    /** Resolves to how it was refused in the end. */
    hold(): Promise<string>;
    visit(): Promise<Visit>;
  };
}

const platform = browserPlatform({ workspace: "session-visit" });
const reported: Reported[] = [];

globalThis.tab = {
  reported,
  hold: () => holdSession(platform, (event) => reported.push(event)),
  visit: () => visitSession(platform, "/workspace"),
};
