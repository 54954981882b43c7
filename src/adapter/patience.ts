/** What would be nice to know is waited for only so long: some platforms want to hear within seconds that a message arrived. */
const PATIENCE_MS = 1_000;

export async function withinPatience<Answer>(asked: Promise<Answer>, otherwise: Answer): Promise<Answer> {
  let alarm: NodeJS.Timeout | undefined;
  const enough = new Promise<Answer>((resolve) => {
    alarm = setTimeout(() => resolve(otherwise), PATIENCE_MS);
  });
  try {
    return await Promise.race([asked.catch(() => otherwise), enough]);
  } finally {
    clearTimeout(alarm);
  }
}
