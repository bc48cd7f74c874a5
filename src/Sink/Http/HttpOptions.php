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
 * A bucket's settings for this sink. Nothing of a secret gets into a message.
 *
 * @internal
 */
final readonly class HttpOptions
{
    private const KEYS = ['url', 'sign', 'headers', 'timeout'];

    /** What the sink says itself, and what belongs to the connection. */
    private const OURS = [
        'connection', 'content-encoding', 'content-length', 'content-type', 'expect', 'headroom-bucket', 'host', 'idempotency-key', 'te', 'trailer',
        'transfer-encoding', 'upgrade', 'webhook-id', 'webhook-signature', 'webhook-timestamp',
    ];

    private const DEFAULTS = ['User-Agent' => 'Headroom', 'Accept' => 'application/json'];

    /**
     * @param array<string, string> $headers
     * @param list<string> $keys to sign with; none is unsigned
     * @param float $timeout seconds
     */
    private function __construct(
        public Endpoint $endpoint,
        #[SensitiveParameter] public array $headers,
        #[SensitiveParameter] public array $keys,
        public float $timeout,
    ) {}

    /**
     * @param ?float $timeout seconds, which may be fewer than a setting allows; null: as the settings say
     *
     * @throws InvalidConfig
     */
    public static function from(ConfigReader $options, ?float $timeout = null): self
    {
        $options->only(self::KEYS);

        return new self(
            Endpoint::fromOptions($options, 'url'),
            HeaderOptions::read($options, self::OURS, self::DEFAULTS),
            self::keys($options),
            $timeout ?? $options->int('timeout', 1, 300, 10),
        );
    }

    /** @return list<string> */
    private static function keys(ConfigReader $options): array
    {
        // A variable that is not set is null here, and must not mean unsigned.
        if (! in_array('sign', $options->keys(), true)) {
            return [];
        }

        $allowed = "a secret: 'whsec_' and base64, or the key itself; several of the first kind with a space between while one replaces the other. Leave 'sign' out to send unsigned";
        $value = self::secret($options, 'sign', $allowed);
        $keys = [];

        foreach (preg_match('/\Awhsec_\S+(?: +whsec_\S+)+\z/', $value) === 1 ? (array) preg_split('/ +/', $value) : [$value] as $secret) {
            $keys[] = WebhookSignature::key((string) $secret) ?? throw InvalidConfig::notShown("{$options->path}.sign", $allowed);
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
