<?php

declare(strict_types=1);

namespace Headroom\Sink\Http;

use Headroom\Sink\HttpClient\Endpoint;
use Headroom\Sink\HttpClient\HeaderOptions;
use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;
use Headroom\Support\WebhookSignature;
use SensitiveParameter;

/**
 * The settings of a bucket with the HTTP sink. No message contains a secret.
 *
 * @internal
 */
final readonly class HttpOptions
{
    private const KEYS = ['url', 'sign', 'headers', 'timeout'];

    /** Headers that the sink sets itself, and headers of the connection. */
    private const RESERVED = [
        'connection', 'content-encoding', 'content-length', 'content-type', 'expect', 'headroom-bucket', 'host',
        'idempotency-key', 'te', 'trailer',
        'transfer-encoding', 'upgrade', 'webhook-id', 'webhook-signature', 'webhook-timestamp',
    ];

    private const DEFAULTS = ['User-Agent' => 'Headroom', 'Accept' => 'application/json'];

    /**
     * @param array<string, string> $headers
     * @param list<string> $keys signing keys; an empty list sends unsigned
     * @param float $timeout seconds
     */
    private function __construct(
        public Endpoint $endpoint,
        #[SensitiveParameter] public array $headers,
        #[SensitiveParameter] public array $keys,
        public float $timeout,
    ) {}

    /**
     * @param ?float $timeout seconds, may be shorter than a setting allows; null uses the setting
     *
     * @throws InvalidConfig
     */
    public static function from(ConfigReader $options, ?float $timeout = null): self
    {
        $options->only(self::KEYS);

        return new self(
            Endpoint::fromOptions($options, 'url'),
            HeaderOptions::read($options, self::RESERVED, self::DEFAULTS),
            self::keys($options),
            $timeout ?? $options->int('timeout', 1, 300, 10),
        );
    }

    /** @return list<string> */
    private static function keys(ConfigReader $options): array
    {
        // An environment variable that is not set arrives as null, and must not turn signing off.
        if (! in_array('sign', $options->keys(), true)) {
            return [];
        }

        $allowed = "a secret: 'whsec_' and base64, or the key itself; during a rotation several 'whsec_' secrets,"
            ." separated by spaces. Remove 'sign' to send unsigned";
        $value = self::secret($options, 'sign', $allowed);
        $keys = [];

        foreach (preg_match('/\Awhsec_\S+(?: +whsec_\S+)+\z/', $value) === 1 ? (array) preg_split(
            '/ +/',
            $value,
        ) : [$value] as $secret) {
            $keys[] = WebhookSignature::key((string) $secret)
                ?? throw InvalidConfig::notShown("{$options->path}.sign", $allowed);
        }

        return $keys;
    }

    private static function secret(ConfigReader $options, string $name, string $allowed): string
    {
        try {
            return $options->string($name);
        } catch (InvalidConfig $e) {
            throw InvalidConfig::notShown($e->key, $allowed);
        }
    }
}
