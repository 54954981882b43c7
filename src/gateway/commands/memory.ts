/** `/memory`: what Baton remembers about the person, or in a group about the group. They read, change and forget it. */
import type { AgentInfo } from "./agent-info.js";
import type { Command } from "./commands.js";

export function memory({ clock }: AgentInfo): Command {
  return {
    name: "memory",
    usage: "[add <text>|edit <number> <text>|forget <number>…|forget all]",
    description: "show what I remember about you, or in a group about the group, and change it",
    details:
      "`/memory add I am a vegetarian` adds a note, `/memory edit 17 I am a vegan` changes one, and `/memory forget 17 18` " +
      "removes notes by their numbers. `/memory forget all` removes all of them. In a group, members and owners can change " +
      "its notes.",
    async run(call) {
      const desk = call.gateway.memory;
      if (!desk) return "I keep no notes: the setting `memory.enabled` is off.";
      return (await import("./memory-answer.js")).memoryAnswer(desk, call, clock());
    },
  };
}
