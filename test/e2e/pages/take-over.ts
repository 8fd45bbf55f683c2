import { browserPlatform } from "@robota/adapters-web";
import {
  type Contention,
  contend,
  judge,
  type Judgement,
  type Sessions,
} from "../../support/take-overs.ts";

/** A tab that contends for sessions with others, and looks in the end whether all is there. */
declare global {
  var contender: {
    contend(name: string, sessions: Omit<Sessions, "cwd">): Promise<Contention>;
    judge(sessions: Omit<Sessions, "cwd">, contentions: readonly Contention[]): Promise<Judgement>;
  };
}

const cwd = "/workspace";
const platform = browserPlatform({ workspace: "take-over" });

globalThis.contender = {
  async contend(name, sessions) {
    await platform.fs.mkdir(cwd, { recursive: true });
    return contend(platform, { name, ...sessions, cwd });
  },
  judge: (sessions, contentions) => judge(platform, { ...sessions, cwd, contentions }),
};
