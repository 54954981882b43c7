/** The topics of a forum. */

/** The thread of the general topic: messages in it belong to no topic. */
export const GENERAL_TOPIC = "1";
