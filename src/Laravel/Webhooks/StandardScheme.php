<?php

declare(strict_types=1);

namespace Headroom\Laravel\Webhooks;

use Headroom\Support\WebhookSignature;
use Illuminate\Http\Request;
use SensitiveParameter;

/**
 * Standard Webhooks: the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`, which may hold several
 * signatures.
 *
 * @internal
 */
final readonly class StandardScheme implements Scheme
{
    /** @param string $prefix of the three headers: `svix` for a service that still uses that name */
    public function __construct(private string $prefix, private int $tolerance) {}

    public function isGenuine(Request $request, string $body, #[SensitiveParameter] array $secrets, int $now): bool
    {
        $headers = $request->headers;

        return WebhookSignature::isGenuine(
            $secrets,
            (string) $headers->get("{$this->prefix}-id"),
            (string) $headers->get("{$this->prefix}-timestamp"),
            (string) $headers->get("{$this->prefix}-signature"),
            $body,
            $now,
            $this->tolerance,
        );
    }

    public function idOf(Request $request, string $body): ?string
    {
        return $request->headers->get("{$this->prefix}-id");
    }
}
