/** What a Slack app for Baton is made from: pasted where Slack asks for a manifest. */
export const APP_MANIFEST = `display_information:
  name: Baton
features:
  app_home:
    messages_tab_enabled: true
    messages_tab_read_only_enabled: false
  bot_user:
    display_name: baton
    always_online: true
  slash_commands:
    - { command: /baton, description: "A command of Baton's, or a question", usage_hint: "status" }
    - { command: /new, description: "Begin a new session", usage_hint: "[title]" }
    - { command: /resume, description: "Go back to an earlier session", usage_hint: "[which]" }
    - { command: /stop, description: "Stop the answer that is being made" }
oauth_config:
  scopes:
    bot: [app_mentions:read, channels:history, channels:read, chat:write, commands, files:read, files:write,
          groups:history, groups:read, im:history, im:read, mpim:history, mpim:read, reactions:read,
          reactions:write, users:read]
settings:
  event_subscriptions:
    bot_events: [app_mention, message.channels, message.groups, message.im, message.mpim, reaction_added]
  socket_mode_enabled: true
  interactivity: { is_enabled: true }`;
