// What the address of a page keeps of it, so that a reload, a bookmark or a link opens it as it was.
import { useEffect, useState } from 'preact/hooks';

/** A parameter of the address; empty where it has none. Not for names of members: browsers keep addresses. */
export function useAddress(name: string): [string, (value: string) => void] {
  const read = (): string => new URLSearchParams(location.search).get(name) ?? '';
  const [value, setValue] = useState(read);
  useEffect(() => {
    const listener = (): void => setValue(read());
    addEventListener('popstate', listener);
    return () => removeEventListener('popstate', listener);
  }, []);
  const write = (next: string): void => {
    const url = new URL(location.href);
    url.searchParams.set(name, next);
    if (next === '') url.searchParams.delete(name);
    history.replaceState(null, '', url);
    setValue(next);
  };
  return [value, write];
}
