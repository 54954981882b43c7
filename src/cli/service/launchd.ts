/**
 * The launchd agent of the gateway. launchd reads no file of variables, so a shell does, and then becomes the gateway;
 * paths are its arguments, never part of what it interprets.
 */
import { checkService, type Service, WRITTEN_BY } from "./description.js";

export const LABEL = "baton.gateway";

const RUN = 'set -a; [ ! -f "$BATON_HOME/environment" ] || . "$BATON_HOME/environment"; exec "$@"';

export function launchdPlist(given: Service): string {
  const { node, main, home, userHome, path } = checkService(given);
  const command = ["/bin/sh", "-c", RUN, "baton", node, main, "gateway"];
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- ${WRITTEN_BY} -->
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${LABEL}</string>
  <key>ProgramArguments</key>
  <array>
${command.map((word) => `    <string>${escaped(word)}</string>`).join("\n")}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
    <key>BATON_HOME</key>
    <string>${escaped(home)}</string>
    <key>PATH</key>
    <string>${escaped(path)}</string>
  </dict>
  <key>WorkingDirectory</key>
  <string>${escaped(userHome)}</string>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>30</integer>
  <key>ExitTimeOut</key>
  <integer>30</integer>
</dict>
</plist>
`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
