<?php

declare(strict_types=1);

namespace Headroom\Laravel\Webhooks;

use Headroom\Core\WebhookSignature;
use Illuminate\Http\Request;
use SensitiveParameter;

/**
 * Standard Webhooks: `webhook-id`, `webhook-timestamp` and `webhook-signature`, which may hold several.
 *
 * @internal
 */
final readonly class StandardScheme implements Scheme
{
    /** @param string $prefix of the three headers: `svix` for a service that still calls them so */
    public function __construct(private string $prefix, private int $tolerance) {}

    public function isGenuine(Request $request, string $body, #[SensitiveParameter] array $secrets, int $now): bool
    {
        $id = (string) $request->headers->get("{$this->prefix}-id");
        $timestamp = (string) $request->headers->get("{$this->prefix}-timestamp");

        if ($id === '' || preg_match('/\A\d{1,15}\z/', $timestamp) !== 1 || abs($now - (int) $timestamp) > $this->tolerance) {
            return false;
        }

        $isGenuine = false;

        foreach ($secrets as $secret) {
            $key = WebhookSignature::key($secret);
            $expected = $key === null ? null : WebhookSignature::of($key, $id, $timestamp, $body);

            // As many as anybody sends: each comparison costs.
            foreach (array_slice(explode(' ', (string) $request->headers->get("{$this->prefix}-signature")), 0, 16) as $signature) {
                $isGenuine = ($expected !== null && hash_equals($expected, $signature)) || $isGenuine;
            }
        }

        return $isGenuine;
    }

    public function idOf(Request $request, string $body): ?string
    {
        return $request->headers->get("{$this->prefix}-id");
    }
}
