/** Whether a text begins with a command that there is: in a group, such a text is for us. */
export function namesCommand(text: string, commands: ReadonlySet<string>): boolean {
  const [, name = ""] = /^\/([a-z]+)(?:\s|$)/i.exec(text) ?? [];
  return commands.has(name.toLowerCase());
}
