/** A call for tools that are run by hand. */
export const aCall = { id: "call", name: "tool", arguments: "{}" };
