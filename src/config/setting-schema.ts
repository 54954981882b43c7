/** What a declared setting takes, as a schema. */
import { z } from "zod";
import type { Setting, Takes } from "../util/setting.js";
import { secretFile } from "./secret-schema.js";

export function schemaOf(setting: Setting): z.ZodType {
  const { takes, description, fallback, variable } = setting;
  return taking(takes)
    .meta({
      description,
      ...(fallback === undefined ? { default: setting.default } : { fallback }),
      ...(variable === undefined ? {} : { variable }),
      ...(takes.is === "secret" ? { secret: true } : {}),
    })
    .optional();
}

function taking(takes: Takes): z.ZodType {
  switch (takes.is) {
    case "text":
      return textSchema(takes);
    case "url":
      return z.url({ protocol: /^https?$/, error: takes.error });
    case "whole":
      return z.int(takes.error).min(takes.min, takes.error).max(takes.max, takes.error);
    case "choice":
      return z.enum(takes.options);
    case "secret":
      return secretFile;
    default:
      return takes satisfies never;
  }
}

function textSchema({ error, orNumber, allows = () => true }: Extract<Takes, { is: "text" }>): z.ZodType {
  if (!orNumber) return z.string(error).min(1, error).refine(allows, error);
  return z
    .union([z.string().min(1, error), z.int()], { error })
    .transform(String)
    .refine(allows, error);
}
