// What lies beside the code of the notifier.

/** A JSON list of `WrittenChannel`: the channels, as far as they are known before a deployment. */
export const CHANNELS_FILE = 'channels.json';
