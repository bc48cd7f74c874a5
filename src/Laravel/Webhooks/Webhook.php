<?php

declare(strict_types=1);

namespace Headroom\Laravel\Webhooks;

use Headroom\Spool\Bucket;
use Headroom\Support\InvalidConfig;

/**
 * Actions for routes that receive webhooks. Each webhook is verified, buffered, and acknowledged with 202.
 *
 *     Route::post('/hooks/github', Webhook::github('github', secretIn: 'services.github.webhook_secret'));
 *
 * `secretIn` is a key of the application's configuration, so the cached routes contain no secret. Its value may be a
 * list: during a rotation both secrets are valid.
 *
 * @phpstan-type Action array{uses: string, webhook: array<array-key, mixed>}
 */
final readonly class Webhook
{
    /** An event in the buffer has at most 1 MiB of JSON, and JSON doubles the quotes of a body. */
    private const BYTES = 524_288;

    private const MAX_BYTES = 1_048_576;

    private const TOLERANCE = 300;

    /**
     * For senders that follow the Standard Webhooks specification. Secrets are `whsec_…` or the key itself.
     *
     * @param list<string> $headers names of the headers to keep with the body
     * @param int $tolerance largest difference between the sender's clock and ours, in seconds
     * @param string $prefix of the three headers, such as `svix`
     * @return Action
     */
    public static function standard(
        string $bucket,
        string $secretIn,
        array $headers = [],
        int $tolerance = self::TOLERANCE,
        int $maxBytes = self::BYTES,
        string $prefix = 'webhook',
    ): array {
        return self::action(new WebhookSettings(
            'standard',
            $bucket,
            $secretIn,
            $headers,
            $maxBytes,
            self::tolerance($tolerance),
            prefix: $prefix,
        ));
    }

    /**
     * For GitHub, which signs with `X-Hub-Signature-256`.
     *
     * @param list<string> $headers
     * @return Action
     */
    public static function github(
        string $bucket,
        string $secretIn,
        array $headers = ['X-GitHub-Event'],
        int $maxBytes = self::BYTES,
    ): array {
        return self::hmac(
            $bucket,
            $secretIn,
            'X-Hub-Signature-256',
            prefix: 'sha256=',
            idHeader: 'X-GitHub-Delivery',
            headers: $headers,
            maxBytes: $maxBytes,
        );
    }

    /**
     * For Stripe, which signs with `Stripe-Signature`.
     *
     * @param list<string> $headers
     * @return Action
     */
    public static function stripe(
        string $bucket,
        string $secretIn,
        array $headers = [],
        int $tolerance = self::TOLERANCE,
        int $maxBytes = self::BYTES,
    ): array {
        return self::action(
            new WebhookSettings('stripe', $bucket, $secretIn, $headers, $maxBytes, self::tolerance($tolerance)),
        );
    }

    /**
     * For any sender that puts the HMAC of the body into a header.
     *
     * @param string $algorithm sha256, sha384, sha512 or sha1
     * @param string $encoding hex or base64
     * @param string $prefix text before the signature, such as `sha256=`
     * @param ?string $idHeader header with the id of the delivery
     * @param list<string> $headers
     * @return Action
     */
    public static function hmac(
        string $bucket,
        string $secretIn,
        string $header,
        string $algorithm = 'sha256',
        string $encoding = 'hex',
        string $prefix = '',
        ?string $idHeader = null,
        array $headers = [],
        int $maxBytes = self::BYTES,
    ): array {
        if (! in_array($algorithm, ['sha256', 'sha384', 'sha512', 'sha1'], true)) {
            throw InvalidConfig::notAllowed(
                'Webhook::hmac(algorithm)',
                $algorithm,
                'one of sha256, sha384, sha512, sha1',
            );
        }

        if (! in_array($encoding, ['hex', 'base64'], true)) {
            throw InvalidConfig::notAllowed('Webhook::hmac(encoding)', $encoding, 'one of hex, base64');
        }

        return self::action(new WebhookSettings(
            'hmac',
            $bucket,
            $secretIn,
            $headers,
            $maxBytes,
            0,
            $header,
            $algorithm,
            $encoding,
            $prefix,
            $idHeader,
        ));
    }

    /** @return Action */
    private static function action(WebhookSettings $settings): array
    {
        Bucket::validName($settings->bucket);

        if ($settings->maxBytes < 1 || $settings->maxBytes > self::MAX_BYTES) {
            throw InvalidConfig::notAllowed('Webhook(maxBytes)', $settings->maxBytes, 'from 1 to '.self::MAX_BYTES);
        }

        return $settings->action();
    }

    private static function tolerance(int $seconds): int
    {
        return $seconds >= 1 && $seconds <= 86_400
            ? $seconds
            : throw InvalidConfig::notAllowed('Webhook(tolerance)', $seconds, 'from 1 to 86400 seconds');
    }
}
