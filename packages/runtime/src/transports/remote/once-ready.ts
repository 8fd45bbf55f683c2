interface Opening {
  readonly ready: Promise<void>;
  shutdown(): Promise<void>;
}

/** The session once it is ready. One that does not get so is closed: nobody else has it. @throws as `ready` */
export async function onceReady<Session extends Opening>(session: Session): Promise<Session> {
  try {
    await session.ready;
    return session;
  } catch (error) {
    await session.shutdown();
    throw error;
  }
}
