// Makes each call that the library has, and prints what it says that it has sent.

import { Analytics } from '@segment/analytics-node';

const analytics = new Analytics({ writeKey: process.env.EVENTS_KEY, host: process.env.EVENTS_URL, path: '/v1/batch', flushAt: 3, maxRetries: 0 });
const sent = [];
const statuses = [];
analytics.on('http_request', (request) => sent.push(...JSON.parse(request.body).batch));
analytics.on('http_response', (response) => statuses.push(response.status));

const timestamp = new Date('2026-07-14T03:33:20.123Z');
analytics.track({ userId: 'user-1', event: 'Order Completed', properties: { revenue: 39.95, none: null, list: [], object: {}, words: 'Grüße 🎉' }, timestamp });
analytics.identify({ userId: 'user-1', traits: { plan: 'pro' }, timestamp });
analytics.page({ anonymousId: 'a-1', category: 'Docs', name: 'Home', properties: { url: 'https://example.com/' }, timestamp });
analytics.screen({ userId: 'user-2', name: 'Start', timestamp });
analytics.group({ userId: 'user-1', groupId: 'g-1', traits: { size: 3 }, timestamp });
analytics.alias({ userId: 'user-3', previousId: 'a-1', timestamp });
await analytics.closeAndFlush();

console.log(JSON.stringify({ sent, statuses }));
