// Options that are numbers of things.
import { InvalidArgumentError } from 'commander';

/** Reads a whole number from 1 to `max`. */
export function readUpTo(max: number): (text: string) => number {
  return (text) => {
    if (/^\d{1,9}$/.test(text) && Number(text) >= 1 && Number(text) <= max) return Number(text);
    throw new InvalidArgumentError(`Write a whole number from 1 to ${max}.`);
  };
}
