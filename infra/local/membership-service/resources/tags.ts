// Tags and the members that carry them. The fields of their types are not shown in the interface document: all are invented.
import { bare, Refused, type Answer } from '../answers.ts';
import { readJsonBody, requiredText } from '../json-body.ts';
import type { Context, Operation, OperationRequest } from '../operations.ts';
import { changeTagMembers, createTag } from '../organisation-changes.ts';

const path = '/admin/organisations/{organisationId}/tags';

export const tagOperations: readonly Operation[] = [
  { method: 'GET', path, answer: listTags },
  { method: 'POST', path, answer: addTag },
  { method: 'POST', path: `${path}/{id}/AddMembers`, answer: changeMembers('add') },
  { method: 'POST', path: `${path}/{id}/RemoveMembers`, answer: changeMembers('remove') },
];

function listTags({ query }: OperationRequest, { state }: Context): Answer {
  const text = (query.get('text') ?? '').toLowerCase();
  const found = [...state.organisation.tags.values()].filter(({ name }) => name.toLowerCase().includes(text));
  return bare(found.map(({ id, name, memberIds }) => ({ id, name, memberCount: memberIds.length })));
}

function addTag({ body }: OperationRequest, { state }: Context): Answer {
  const { id, name } = createTag(state, requiredText(readJsonBody(body), 'name'));
  return bare({ id, name });
}

function changeMembers(what: 'add' | 'remove'): Operation['answer'] {
  return ({ parameters, body }, { state }) => {
    const tag = state.organisation.tags.get(parameters['id'] ?? '');
    if (!tag) throw new Refused(404, 'There is no such tag.');
    const memberIds = readMemberIds(body);
    const members = memberIds.map((id) => {
      const contact = state.organisation.contacts.get(id);
      if (!contact) throw new Refused(404, 'There is no such member.');
      return contact;
    });
    changeTagMembers(state, tag, members, what);
    return bare({ memberIds });
  };
}

function readMemberIds(body: string): string[] {
  const { memberIds } = readJsonBody(body);
  if (!Array.isArray(memberIds) || memberIds.length === 0)
    throw new Refused(400, 'memberIds must list ids of contacts.');
  return [...new Set(memberIds.map(String))];
}
