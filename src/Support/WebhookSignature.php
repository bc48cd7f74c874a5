<?php

declare(strict_types=1);

namespace Headroom\Support;

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

    private const MOST_SIGNATURES = 16;

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

    /**
     * Compares in constant time, with each secret.
     *
     * @param list<string> $secrets as key() takes them; the sender has one of them
     * @param string $timestamp as it was sent: seconds since the Unix epoch
     * @param string $signatures as they were sent: one or several, with spaces between
     * @param string $body as it came, byte for byte
     * @param int $now seconds since the Unix epoch
     * @param int $tolerance seconds that the sender's clock may differ, either way
     */
    public static function isGenuine(#[SensitiveParameter] array $secrets, string $id, string $timestamp, string $signatures, string $body, int $now, int $tolerance): bool
    {
        if ($id === '' || preg_match('/\A\d{1,15}\z/', $timestamp) !== 1 || abs($now - (int) $timestamp) > $tolerance) {
            return false;
        }

        $isGenuine = false;
        // As many as anybody sends: each comparison costs.
        $given = array_slice(explode(' ', $signatures), 0, self::MOST_SIGNATURES);

        foreach ($secrets as $secret) {
            $key = self::key($secret);
            $expected = $key === null ? null : self::of($key, $id, $timestamp, $body);

            foreach ($given as $signature) {
                $isGenuine = ($expected !== null && hash_equals($expected, $signature)) || $isGenuine;
            }
        }

        return $isGenuine;
    }
}
