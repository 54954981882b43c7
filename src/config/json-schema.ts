/** The JSON Schema of a config file, for editors. */
import { z } from "zod";
import { homeFile, projectFile } from "./schema.js";

export function jsonSchema(kind: "home" | "project"): Record<string, unknown> {
  const file = kind === "home" ? homeFile : projectFile;
  const title = kind === "home" ? "Baton: config.yaml in the home folder" : "Baton: baton.yaml in a project";
  const { $schema, ...schema } = z.toJSONSchema(file, {
    target: "draft-7",
    io: "input",
    override: ({ jsonSchema }) => {
      // Ours, and no words of JSON Schema.
      for (const word of ["fallback", "each", "secret"]) delete jsonSchema[word];
    },
  });
  return { $schema, title, ...schema };
}
