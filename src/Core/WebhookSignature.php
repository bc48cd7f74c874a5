<?php

declare(strict_types=1);

namespace Headroom\Core;

use SensitiveParameter;

/**
 * The symmetric signature of the Standard Webhooks specification 1.0.0, for who sends and for who receives.
 *
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 *
 * @internal
 */
final readonly class WebhookSignature
{
    private const PREFIX = 'whsec_';

    /**
     * @param string $secret `whsec_` and base64, or the key itself
     * @return ?string the key's bytes; null when what follows `whsec_` is no base64
     */
    public static function key(#[SensitiveParameter] string $secret): ?string
    {
        if (! str_starts_with($secret, self::PREFIX)) {
            return $secret === '' ? null : $secret;
        }

        $key = base64_decode(substr($secret, strlen(self::PREFIX)), true);

        return $key === false || $key === '' ? null : $key;
    }

    /**
     * @param string $key as key() gave it
     * @param string $timestamp seconds since the Unix epoch
     */
    public static function of(#[SensitiveParameter] string $key, string $id, string $timestamp, string $body): string
    {
        return 'v1,'.base64_encode(hash_hmac('sha256', "{$id}.{$timestamp}.{$body}", $key, true));
    }
}
