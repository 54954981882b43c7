/** The JSON Schema of a config file, for editors. */
import { z } from "zod";
import { homeFile, projectFile } from "./schema.js";
import { fileSchema } from "./zod.js";

export function jsonSchema(kind: "home" | "project"): Record<string, unknown> {
  const file = kind === "home" ? homeFile : projectFile;
  const title = kind === "home" ? "Baton: config.yaml in the home folder" : "Baton: baton.yaml in a project";
  const { $schema, ...schema } = z.toJSONSchema(fileSchema(file), { target: "draft-7", io: "input" });
  return { $schema, title, ...schema };
}
