/** What a wrong token is answered with, wherever it is noticed. */
export const WRONG_TOKEN =
  "Telegram does not know this bot token. Set TELEGRAM_BOT_TOKEN to the one that @BotFather gave you.";
