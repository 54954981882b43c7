/** How times can be written, for refusals and help. It loads nothing. */
export const ACCEPTED_FORMS =
  'Write `30m`, `2h` or `1d` for once from now; `every 30m`; a cron line such as `0 9 * * 1-5`; a date and time such as `2027-01-31T09:00`; or words such as "tomorrow at 9" and "every monday at 8:30".';
