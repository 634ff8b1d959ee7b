// The operations that debts, donations and payments share: list all, create, read, replace and remove by id.
import type { JsonObject } from '../../../../functions/shared/json.ts';
import { Refused } from '../../answers.ts';
import { readBody } from '../../records/record-body.ts';
import type { AnswerFunction, Context, OperationRequest } from '../../http/operations.ts';
import { writeBook, type Book } from '../../changes/organisation-changes.ts';
import { DONE } from '../../records/record-names.ts';
import { toRecord, type SentFields, type Shape } from '../../records/record-shape.ts';
import { authorOf } from '../author-of.ts';

type BookKind<Collection extends keyof Book> = {
  collection: Collection;
  shape: Shape<Book[Collection]>;
  newId: (context: Context) => string;
  /** Reads what was sent. Throws Refused. */
  read: (
    sent: SentFields<Book[Collection]>,
    request: OperationRequest,
    context: Context,
  ) => Omit<Book[Collection], 'id'>;
};

type Verb = 'list' | 'create' | 'get' | 'update' | 'remove';

/** The operations of one book. The document describes the body of an update only as a JSON object (A23). */
export function bookOperations<Collection extends keyof Book>({
  collection,
  shape,
  newId,
  read,
}: BookKind<Collection>): Record<Verb, AnswerFunction> & { removeWithId: AnswerFunction } {
  type Item = Book[Collection];
  const itemsOf = ({ organisation }: OperationRequest) => organisation[collection] as unknown as Map<string, Item>;
  const itemOf = (request: OperationRequest, { personality }: Context): Item => {
    const item = itemsOf(request).get(request.parameters['id'] ?? '');
    if (!item) throw new Refused(personality.refusals.unknownId, `None of the ${collection} has this id.`);
    return item;
  };
  const written = (id: string, request: OperationRequest, context: Context): Item =>
    ({ ...read(readBody(shape, request.body, context), request, context), id }) as Item;
  const shown = (item: Item, { personality }: Context): { data: JsonObject } => ({
    data: toRecord(shape, personality.records, item),
  });
  const removed = (request: OperationRequest, context: Context): Item =>
    writeBook(context.state, authorOf(request), { collection, what: 'Deleted', value: itemOf(request, context) });
  return {
    list: (request, { personality }) => ({
      data: [...itemsOf(request).values()].map((item) => toRecord(shape, personality.records, item)),
    }),
    get: (request, context) => shown(itemOf(request, context), context),
    create: (request, context) => {
      const value = written(newId(context), request, context);
      return shown(writeBook(context.state, authorOf(request), { collection, what: 'Created', value }), context);
    },
    update: (request, context) => {
      const value = written(itemOf(request, context).id, request, context);
      writeBook(context.state, authorOf(request), { collection, what: 'Updated', value });
      return done(value.id, context);
    },
    remove: (request, context) => shown(removed(request, context), context),
    removeWithId: (request, context) => done(removed(request, context).id, context),
  };
}

function done(id: string, { personality }: Context): { data: JsonObject } {
  return { data: toRecord(DONE, personality.records, { id }) };
}
