import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DETAIL_TYPES } from '../../../functions/events/event.ts';
import { toDetailType } from '../../../functions/events/detail-types.ts';
import { anyUnicode } from '../../support/arbitrary-text.ts';

describe('the built-in table (Assumption A7)', () => {
  it.each([
    ['ContactCreated', 'MemberChanged'],
    ['contact.created', 'MemberChanged'],
    ['CONTACT_CREATE', 'MemberChanged'],
    ['create-contact', 'MemberChanged'],
    ['ContactsImported', 'MemberChanged'],
    ['MemberArchived', 'MemberChanged'],
    ['AddressUpdated', 'MemberChanged'],
    ['WorkHistoryAdded', 'MemberChanged'],
    ['EmailAdded', 'MemberChanged'],
    ['MembershipFeeCreated', 'MembershipChanged'],
    ['MemberMembershipRenewed', 'MembershipChanged'],
    ['membership_plan_updated', 'MembershipChanged'],
    ['SubscriptionCancelled', 'MembershipChanged'],
    ['ApplicationReviewed', 'MembershipChanged'],
    ['MembershipFeePaid', 'MembershipChanged'],
    ['PaymentReceived', 'PaymentChanged'],
    ['MembershipPaymentCreated', 'PaymentChanged'],
    ['InvoicePaid', 'PaymentChanged'],
    ['Paid', 'PaymentChanged'],
    ['APIPaymentCreated', 'PaymentChanged'],
    ['DebtPost', 'DebtChanged'],
    ['DebtPaid', 'DebtChanged'],
    ['DonationCampaignUpdated', 'DonationChanged'],
    ['EventCreated', 'CalendarEventChanged'],
    ['CalendarEventChanged', 'CalendarEventChanged'],
    ['MemberEventSubmissionApproved', 'CalendarEventChanged'],
    ['TagMembersAdded', 'TagChanged'],
    ['UpdateTagMemberList', 'TagChanged'],
    ['MemberTagged', 'TagChanged'],
    ['ThreadCreated', 'CommunityChanged'],
    ['BoardPostCreated', 'CommunityChanged'],
    ['PostCommented', 'CommunityChanged'],
    ['CorporateMemberAdded', 'CommunityChanged'],
    ['JobSeekerApplicationCreated', 'CommunityChanged'],
    ['ContactPost', 'MemberChanged'],
    ['SelectListUpdated', 'SettingsChanged'],
    ['OrganisationSettingsChanged', 'SettingsChanged'],
    ['MembershipSettingsChanged', 'SettingsChanged'],
    ['CitiesImported', 'SettingsChanged'],
    ['OrganisationMembershipCreated', 'MembershipChanged'],
  ])('maps %s to %s', (actionKey, detailType) => {
    expect(toDetailType(actionKey)).toBe(detailType);
  });

  it.each([
    'BlogCreated',
    'Eventually',
    'Taggart',
    'FeedbackGiven',
    'PlanetAdded',
    'Unpaid',
    'Postal',
    '',
    '***',
    '42',
  ])('maps %j to OtherActionLogged, because only whole words count', (actionKey) => {
    expect(toDetailType(actionKey)).toBe('OtherActionLogged');
  });

  it('maps a missing action key to OtherActionLogged', () => {
    expect(toDetailType(null)).toBe('OtherActionLogged');
  });

  it('maps sent mail to OtherActionLogged, because it does not change the member', () => {
    expect(toDetailType('MemberEmailSent')).toBe('OtherActionLogged');
    expect(toDetailType('SendContactEmail')).toBe('OtherActionLogged');
  });
});

describe('logins, reads and exports', () => {
  it.each([
    'MemberLogin',
    'UserLoggedIn',
    'MEMBER_LOGIN_FAILED',
    'member.signed-out',
    'memberlogin',
    'Contact Log Out',
    'ThreadViewed',
    'ViewContact',
    'GetPayments',
    'contacts.list',
    'SearchMembers',
    'ListPosts',
    'ViewSettings',
    'ContactsExported',
    'MemberExportCreated',
    'payment_export',
    'ContactsDownloaded',
  ])('are OtherActionLogged, whatever the other words are: %s', (actionKey) => {
    expect(toDetailType(actionKey)).toBe('OtherActionLogged');
  });

  it('are OtherActionLogged even if the setting says otherwise', () => {
    const configured = { MemberChanged: ['*'] };

    const detailTypes = ['MemberLogin', 'ContactViewed', 'ExportContacts'].map((key) => toDetailType(key, configured));

    expect(detailTypes).toEqual(['OtherActionLogged', 'OtherActionLogged', 'OtherActionLogged']);
  });

  it.each([
    ['ThreadCreated', 'CommunityChanged'],
    ['MemberReviewed', 'MemberChanged'],
    ['MemberBloggingEnabled', 'MemberChanged'],
    ['MemberSignatureAdded', 'MemberChanged'],
    ['MemberListUpdated', 'MemberChanged'],
    ['ContactReadded', 'MemberChanged'],
    ['MemberPluginEnabled', 'MemberChanged'],
  ])('are not recognised inside other words: %s is %s', (actionKey, detailType) => {
    expect(toDetailType(actionKey)).toBe(detailType);
  });
});

describe('the setting detailTypes', () => {
  it('takes precedence over the built-in table', () => {
    const configured = { DonationChanged: ['Payment*'] };

    expect(toDetailType('PaymentReceived', configured)).toBe('DonationChanged');
    expect(toDetailType('DebtCreated', configured)).toBe('DebtChanged');
  });

  it('decides by the first wildcard that matches', () => {
    const configured = { TagChanged: ['*Alpha*'], DebtChanged: ['*Alpha*', '*Beta'] };

    expect(toDetailType('AlphaBeta', configured)).toBe('TagChanged');
    expect(toDetailType('GammaBeta', configured)).toBe('DebtChanged');
  });

  it.each([
    ['Widget*', 'WidgetCreated'],
    ['Widget*', 'widget.created'],
    ['widget*', 'WIDGETS_IMPORT'],
    ['widget*', 'widgetcreated'],
    ['Widget*', 'widget'],
    ['*.created', 'widget.created'],
    ['*Created', 'widget-created'],
    ['w*t*d', 'widget.created'],
    ['*Large*Widget*', 'VeryLargeBlueWidgetMoved'],
    ['Üye*', 'üye.eklendi'],
    ['*', 'anything'],
  ])('matches %s with %s', (wildcard, actionKey) => {
    expect(toDetailType(actionKey, { DebtChanged: [wildcard] })).toBe('DebtChanged');
  });

  it.each([
    ['Widget', 'WidgetCreated'],
    ['Widget*', 'CreateWidget'],
    ['*Large*Widget*', 'WidgetLarge'],
    ['ab*ba', 'aba'],
    ['*-*', 'gizmo'],
    ['Widget.*.Created', 'GizmoCreated'],
  ])('does not match %s with %s', (wildcard, actionKey) => {
    expect(toDetailType(actionKey, { DebtChanged: [wildcard] })).toBe('OtherActionLogged');
  });

  it('matches a key as written like a regular expression', () => {
    const letters = fc.string({ unit: fc.constantFrom('q', 'w', '*'), maxLength: 8 });
    const key = fc.string({ unit: fc.constantFrom('q', 'w'), minLength: 1, maxLength: 12 });

    fc.assert(
      fc.property(letters, key, (wildcard, actionKey) => {
        const expected = new RegExp(`^${wildcard.replaceAll('*', '.*')}$`).test(actionKey);

        expect(toDetailType(actionKey, { DebtChanged: [wildcard] }) === 'DebtChanged').toBe(expected);
      }),
    );
  });

  it('caches separately for each table', () => {
    expect(toDetailType('WidgetCreated', { DebtChanged: ['Widget*'] })).toBe('DebtChanged');
    expect(toDetailType('WidgetCreated', { TagChanged: ['Widget*'] })).toBe('TagChanged');
    expect(toDetailType('WidgetCreated')).toBe('OtherActionLogged');
  });
});

describe('any action key', () => {
  it('has one of the ten detail types, always the same one', () => {
    fc.assert(
      fc.property(anyUnicode(), (actionKey) => {
        const detailType = toDetailType(actionKey);

        expect(DETAIL_TYPES).toContain(detailType);
        expect(toDetailType(actionKey)).toBe(detailType);
      }),
    );
  });

  it('is mapped in less than half a millisecond, even a hostile one', () => {
    const configured = { TagChanged: ['*a*a*a*a*a*a*a*a*a*a*b'] };
    const started = process.threadCpuUsage();

    for (let count = 0; count < 500; count += 1) toDetailType(`${'a'.repeat(200_000)}${count}`, configured);
    for (let count = 0; count < 500; count += 1) toDetailType(`${count}${'aA'.repeat(200)}`, configured);

    expect(process.threadCpuUsage(started).user / 1_000).toBeLessThan(500);
  });
});
