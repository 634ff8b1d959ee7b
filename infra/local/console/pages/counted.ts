// How many there are, in words; without anything of a browser.

/** `1 event`, `2 events` */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-GB')} ${count === 1 ? one : many}`;
}
