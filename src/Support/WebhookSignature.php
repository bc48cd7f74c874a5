<?php

declare(strict_types=1);

namespace Headroom\Support;

use SensitiveParameter;

/**
 * The symmetric signature of the Standard Webhooks specification 1.0.0, for senders and receivers.
 *
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 *
 * @internal
 */
final readonly class WebhookSignature
{
    private const PREFIX = 'whsec_';

    private const MAX_SIGNATURES = 16;

    /**
     * @param string $secret `whsec_` and base64, or the key itself
     * @return ?string bytes of the key; null if the text after `whsec_` is not base64
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
     * @param string $key as key() returns it
     * @param string $timestamp seconds since the Unix epoch
     */
    public static function of(#[SensitiveParameter] string $key, string $id, string $timestamp, string $body): string
    {
        return 'v1,'.base64_encode(hash_hmac('sha256', "{$id}.{$timestamp}.{$body}", $key, true));
    }

    /**
     * Compares with each secret, in constant time.
     *
     * @param list<string> $secrets as key() takes them; the sender has one of them
     * @param string $timestamp as it was sent: seconds since the Unix epoch
     * @param string $signatures as they were sent: one or more, separated by spaces
     * @param string $body as it was received, byte for byte
     * @param int $now seconds since the Unix epoch
     * @param int $tolerance seconds that the sender's clock may be ahead or behind
     */
    public static function isGenuine(
        #[SensitiveParameter] array $secrets,
        string $id,
        string $timestamp,
        string $signatures,
        string $body,
        int $now,
        int $tolerance,
    ): bool {
        if ($id === '' || preg_match('/\A\d{1,15}\z/', $timestamp) !== 1 || abs($now - (int) $timestamp) > $tolerance) {
            return false;
        }

        $isGenuine = false;
        // No sender uses more signatures, and each comparison costs time.
        $given = array_slice(explode(' ', $signatures), 0, self::MAX_SIGNATURES);

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
