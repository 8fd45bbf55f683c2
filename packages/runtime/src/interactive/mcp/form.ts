/** The form of a server's question, for whoever answers it from elsewhere. */
export { elicitationOf } from "../../session/approvals/elicitation.ts";
