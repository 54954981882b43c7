/** Matrix, from a person's word to the answer, through the adapter and crabline's homeserver. */
import { matrixJourney } from "../support/matrix-journey.js";
import { ANN, CrablineMatrix } from "../support/matrix-room.js";

matrixJourney("crabline's homeserver", async () => {
  const matrix = await CrablineMatrix.start();
  return {
    homeserver: matrix.homeserver,
    token: matrix.token,
    person: ANN,
    write: (text) => matrix.write({ text }),
    read: () => matrix.shown(),
    swallow: () => matrix.front.trouble("swallowed"),
    files: async () =>
      (await matrix.sent()).flatMap(({ content }) =>
        typeof content.url === "string" ? Buffer.from(matrix.front.fileOf(content.url) ?? []).toString() : [],
      ),
    close: () => matrix.close(),
  };
});
