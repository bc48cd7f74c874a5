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
 * The section `intake` of the collector's configuration, validated.
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
     * @param string $bucket for events
     * @param ?string $deadBucket for rejected events; null: they are not stored
     * @param bool $isAuthenticated whether a request must have a key or a signature
     * @param list<string> $origins of web pages that may send events; '*' is any
     * @param bool $hasPixel whether GET /v1/p.gif exists
     * @param string $source of events without a source and a key
     * @param ?list<string> $types that are accepted, in addition to those of the schemas; null: any
     * @param array<string, string|array<array-key, mixed>> $schemas JSON Schema by event type,
     *     or the path of a schema file
     * @param array<string, non-empty-list<non-empty-string>> $webhooks secrets by name of the sender
     * @param int $tolerance seconds that the time of a signature may differ
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
                'an array of secrets, or lists of them, by the name of the sender',
            )),
            $section->int('signature_tolerance', 1, 86_400, 300),
            IngestLimits::fromOptions($section),
        );
    }

    /** @return non-empty-list<string> the buckets of events and of rejected events */
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

        foreach ($section->all() as $name => $value) {
            $allowed = "'whsec_' and base64, or the key itself; or a list of these";
            $secrets = [];

            foreach (is_array($value) ? $value : [$value] as $secret) {
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
