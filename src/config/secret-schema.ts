/** How a secret is written in a config file: `{ file: path }`, never the secret itself. */
import { z } from "zod";
import { SecretFile } from "./secret.js";

export const secretFile = z
  .strictObject({ file: z.string().min(1, "give the path of a file") })
  .transform(({ file }) => new SecretFile(file));
