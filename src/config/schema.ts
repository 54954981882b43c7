/** What may stand in a config file. Strict: a key that is not here is a mistake, not a wish. */
import { z } from "zod";
import { platforms } from "../session/platform.js";
import { checkTimeZone } from "../session/reset-policy.js";
import { CHAT_TYPES } from "../session/source.js";

const timezone = z.string().superRefine((name, context) => {
  try {
    checkTimeZone(name, "timezone");
  } catch (error) {
    context.addIssue({ code: "custom", message: (error as Error).message });
  }
});

const scopes = z.strictObject({
  agent: z
    .string()
    .regex(/^[\w-]{1,64}$/, "use 1 to 64 letters, digits, - and _")
    .optional(),
  dm: z.enum(["chat", "platform"]).optional(),
  group: z.enum(["chat", "member"]).optional(),
  thread: z.enum(["chat", "member"]).optional(),
});

const policy = z.strictObject({
  mode: z.enum(["none", "idle", "daily", "both"]).optional(),
  idleMinutes: z.number().positive("use a number of minutes above 0").optional(),
  atHour: z
    .int("use a whole hour from 0 to 23")
    .min(0, "use a whole hour from 0 to 23")
    .max(23, "use a whole hour from 0 to 23")
    .optional(),
  notify: z.boolean().optional(),
});

const reset = z.strictObject({
  default: policy.optional(),
  byPlatform: eachOf(platforms()).optional(),
  byChatType: eachOf(CHAT_TYPES).optional(),
});

/** `baton.yaml` in the working folder: how conversations run. A project's file says nothing about where they go. */
export const projectFile = z.strictObject({
  timezone: timezone.optional(),
  scopes: scopes.optional(),
  reset: reset.optional(),
});

/** `config.yaml` in the home folder: everything. */
export const homeFile = projectFile.extend({
  store: z.string().min(1, "give a path, sqlite:<path> or postgres://…").optional(),
  mirror: z.literal("jsonl").optional(),
});

export type HomeFile = z.infer<typeof homeFile>;

function eachOf(names: readonly string[]) {
  return z.strictObject(Object.fromEntries(names.map((name) => [name, policy.optional()])));
}
