/** Refuses an action while no session is open. @throws {SessionError} `NOT_FOUND` */
export async function refuse(): Promise<never> {
  const { noSession } = await import("./no-session.ts");
  throw noSession();
}
