/** The platforms beside those that come with Baton: the ones of other packages, then the further bots of all of them. */
import { loadFurtherBots } from "./config/load.js";
import { loadOutsidePlatforms } from "./outside-platforms.js";

/** Why some could not be loaded, in sentences. What is wrong in the settings is said when they are read. */
export async function loadPlatforms(home: string): Promise<string[]> {
  const problems = await loadOutsidePlatforms(home);
  await loadFurtherBots(home);
  return problems;
}
