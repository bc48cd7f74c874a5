<?php

declare(strict_types=1);

namespace Headroom\Laravel\Webhooks;

use Illuminate\Http\Request;
use SensitiveParameter;

/**
 * `Stripe-Signature: t=…,v1=…`, over the time and the body. Other schemes in that header, such as v0 of test events,
 * are ignored. The key is the whole secret, including its `whsec_`.
 *
 * https://docs.stripe.com/webhooks/signature
 *
 * @internal
 */
final readonly class StripeScheme implements Scheme
{
    public function __construct(private int $tolerance) {}

    public function isGenuine(Request $request, string $body, #[SensitiveParameter] array $secrets, int $now): bool
    {
        $times = $signatures = [];

        foreach (array_slice(explode(',', (string) $request->headers->get('Stripe-Signature')), 0, 16) as $part) {
            [$name, $value] = explode('=', trim($part), 2) + [1 => ''];

            match ($name) {
                't' => $times[] = $value,
                'v1' => $signatures[] = $value,
                default => null,
            };
        }

        // With two times it is unclear which one was signed.
        if (
            count($times) !== 1
            || preg_match('/\A\d{1,15}\z/', $times[0]) !== 1
            || abs($now - (int) $times[0]) > $this->tolerance
        ) {
            return false;
        }

        $isGenuine = false;

        foreach ($secrets as $secret) {
            $expected = hash_hmac('sha256', "{$times[0]}.{$body}", $secret);

            foreach ($signatures as $signature) {
                $isGenuine = hash_equals($expected, $signature) || $isGenuine;
            }
        }

        return $isGenuine;
    }

    /** The id of the event, because Stripe sends no id in a header. */
    public function idOf(Request $request, string $body): ?string
    {
        $event = json_decode($body, true);
        $id = is_array($event) ? $event['id'] ?? null : null;

        return is_string($id) && $id !== '' ? $id : null;
    }
}
