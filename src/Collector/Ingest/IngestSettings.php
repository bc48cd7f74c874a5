<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest;

use Headroom\Spool\Bucket;
use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;
use Headroom\Support\WebhookSignature;

use function is_array;
use function is_string;

/**
 * The section `intake` of the collector's configuration, read once.
 *
 * @internal
 */
final readonly class IngestSettings
{
    private const KEYS = [
        ...IngestLimits::KEYS, 'bucket', 'dead_bucket', 'auth', 'origins', 'pixel', 'source', 'types', 'schemas',
        'webhooks',
        'signature_tolerance',
    ];

    /**
     * @param string $bucket where events go
     * @param ?string $deadBucket where events go that were not taken; null: nowhere
     * @param bool $isAuthenticated whether a request must bring a key or a signature
     * @param list<string> $origins of browsers that may send; '*' is any
     * @param bool $hasPixel whether GET /v1/p.gif is there
     * @param string $source of events that name none and have no key either
     * @param ?list<string> $types that are taken, with those of the schemas; null: any
     * @param array<string, string|array<array-key, mixed>> $schemas JSON Schema by event type,
     *     or the path of a file with it
     * @param array<string, non-empty-list<non-empty-string>> $webhooks secrets of those who sign, by name
     * @param int $tolerance seconds that a signature's time may be off
     */
    public function __construct(
        public string $bucket = 'events',
        public ?string $deadBucket = null,
        public bool $isAuthenticated = true,
        public array $origins = ['*'],
        public bool $hasPixel = false,
        public string $source = 'headroom',
        public ?array $types = null,
        public array $schemas = [],
        public array $webhooks = [],
        public int $tolerance = 300,
        public IngestLimits $limits = new IngestLimits,
    ) {}

    /** @throws InvalidConfig */
    public static function fromOptions(ConfigReader $section): self
    {
        $section->only(self::KEYS);

        return new self(
            self::bucket($section, 'bucket') ?? 'events',
            self::bucket($section, 'dead_bucket'),
            $section->bool('auth', true),
            $section->names('origins') ?? ['*'],
            $section->bool('pixel', false),
            self::source($section),
            $section->names('types'),
            self::schemas($section->section(
                'schemas',
                'an array of JSON Schemas, or paths of files with them, by event type',
            )),
            self::webhooks($section->section(
                'webhooks',
                'an array of secrets, or lists of them, by the name of who signs',
            )),
            $section->int('signature_tolerance', 1, 86_400, 300),
            IngestLimits::fromOptions($section),
        );
    }

    /** @return non-empty-list<string> that are written to */
    public function buckets(): array
    {
        return $this->deadBucket === null || $this->deadBucket === $this->bucket
            ? [$this->bucket]
            : [$this->bucket, $this->deadBucket];
    }

    /** @throws InvalidConfig */
    private static function source(ConfigReader $section): string
    {
        $source = $section->string('source', 'headroom');

        return FieldRules::isValid($source, IngestLimits::SOURCE_BYTES)
            ? $source
            : throw InvalidConfig::notAllowed(
                "{$section->path}.source",
                $source,
                'a text of 1 to '.IngestLimits::SOURCE_BYTES.' bytes without control characters',
            );
    }

    /** @throws InvalidConfig */
    private static function bucket(ConfigReader $section, string $name): ?string
    {
        $bucket = $section->optionalString($name);

        return $bucket === null || Bucket::isName($bucket)
            ? $bucket
            : throw InvalidConfig::notAllowed(
                "{$section->path}.{$name}",
                $bucket,
                "a bucket's name: 1 to 64 of a-z, 0-9, '.', '_', '-', the first a letter or a digit",
            );
    }

    /**
     * @return array<string, string|array<array-key, mixed>>
     *
     * @throws InvalidConfig
     */
    private static function schemas(ConfigReader $section): array
    {
        $schemas = [];

        foreach ($section->all() as $type => $schema) {
            $schemas[$type] = is_array($schema) || (is_string($schema) && $schema !== '')
                ? $schema
                : throw InvalidConfig::notAllowed(
                    "{$section->path}.{$type}",
                    $schema,
                    'a JSON Schema as an array, or the path of a file with one',
                );
        }

        return $schemas;
    }

    /**
     * @return array<string, non-empty-list<non-empty-string>>
     *
     * @throws InvalidConfig
     */
    private static function webhooks(ConfigReader $section): array
    {
        $webhooks = [];

        foreach ($section->all() as $name => $given) {
            $allowed = "'whsec_' and base64, or the key itself; or a list of these";
            $secrets = [];

            foreach (is_array($given) ? $given : [$given] as $secret) {
                $secrets[] = is_string($secret) && $secret !== '' && WebhookSignature::key($secret) !== null
                    ? $secret
                    : throw InvalidConfig::notShown("{$section->path}.{$name}", $allowed);
            }

            $webhooks[$name] = $secrets !== []
                ? $secrets
                : throw InvalidConfig::missing("{$section->path}.{$name}", $allowed);
        }

        return $webhooks;
    }
}
