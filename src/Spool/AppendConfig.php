<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Headroom\Spool\Append\EventFilter;
use Headroom\Spool\Append\Redaction;
use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;

use function array_diff_key;
use function array_intersect_key;
use function array_key_exists;
use function array_keys;
use function in_array;
use function is_array;
use function is_string;
use function rtrim;

/**
 * The settings of config/spool.php that a request needs. The others are neither read nor checked, so they cost a
 * request nothing and an error in them does not fail it. SpoolConfig checks all settings.
 *
 * @internal
 */
final class AppendConfig
{
    /**
     * All settings of config/spool.php except those of a bucket, each with the arguments of the ConfigReader method
     * that reads it. They are declared here so that a request can check for unknown keys without loading another file.
     */
    public const KEYS = [
        'path' => [],
        'allow_network_filesystem' => ['default' => false],
        'dir_mode' => ['must' => 0700, 'may' => 03777, 'default' => 0700],
        'file_mode' => ['must' => 0600, 'may' => 0666, 'default' => 0600],
        'segment_bytes' => ['min' => 65_536, 'max' => 1_073_741_824, 'default' => 33_554_432],
        'min_free_bytes' => ['min' => 0, 'max' => 1_125_899_906_842_624, 'default' => 67_108_864],
        'retention' => ['min' => 0, 'max' => 31_536_000, 'default' => 3600],
        'store' => ['allowed' => ['file', 'redis'], 'default' => 'file'],
        'redis' => [],
        'schedule' => ['default' => true],
        'enabled' => ['default' => true],
        'autoflush' => ['min' => 1, 'max' => 86_400, 'default' => null],
        'heartbeats' => ['default' => true],
        'health_route' => ['default' => false],
        'sinks' => [],
        'buckets' => [],
    ];

    private const RENAMED = ['reserve' => 'min_free_bytes', 'completed_ttl' => 'retention'];

    private ?SpoolConfig $whole = null;

    /**
     * @param string $path root of the buffer on a local filesystem
     * @param array<array-key, mixed> $config
     * @param array<array-key, mixed> $declared buckets by name
     */
    private function __construct(
        public readonly string $path,
        private readonly array $config,
        private readonly array $declared,
    ) {}

    /**
     * @param array<array-key, mixed> $config
     *
     * @throws InvalidConfig
     */
    public static function fromArray(array $config): self
    {
        $config = in_array('', $config, true) ? self::withoutEmpty($config) : $config;
        $path = $config['path'] ?? null;
        $buckets = $config['buckets'] ?? [];

        // Only an invalid configuration needs ConfigReader, which has the messages.
        if (
            ! is_string($path)
            || ($path[0] ?? '') !== '/'
            || ! is_array($buckets)
            || array_diff_key($config, self::KEYS) !== []
        ) {
            throw self::invalid(new ConfigReader($config, 'spool'));
        }

        $read = new self(rtrim($path, '/'), $config, $buckets);

        // Checked in every request, although only a request that creates a file uses the modes: otherwise a wrong mode
        // would fail some requests and not others.
        if (($config['dir_mode'] ?? 0700) !== 0700 || ($config['file_mode'] ?? 0600) !== 0600) {
            $read->whole()->directoryMode();
            $read->whole()->fileMode();
        }

        return $read;
    }

    /**
     * Treats an empty environment variable as one that is not set. `path` is kept, because it has no default here.
     * `enabled` is kept, because PHPUnit turns <env name="SPOOL_ENABLED" value="false"/> into an empty variable.
     *
     * @param array<array-key, mixed> $config
     * @return array<array-key, mixed>
     */
    private static function withoutEmpty(array $config): array
    {
        return array_filter(
            $config,
            static fn (mixed $value, int|string $key): bool => $value !== ''
                || in_array($key, ['path', 'enabled'], true),
            ARRAY_FILTER_USE_BOTH,
        );
    }

    private static function invalid(ConfigReader $options): InvalidConfig
    {
        $path = $options->only(array_keys(self::KEYS), self::RENAMED)->string('path');
        $options->section('buckets');

        return InvalidConfig::notAllowed('spool.path', $path, 'an absolute path');
    }

    /** All settings, for commands and for settings that a request rarely needs. Nothing is checked yet. */
    public function whole(): SpoolConfig
    {
        return $this->whole ??= new SpoolConfig($this, $this->config, $this->declared);
    }

    /** Returns the same settings for a buffer in another directory. */
    public function at(string $path): self
    {
        return new self(rtrim($path, '/'), $this->config, $this->declared);
    }

    /** Returns the same settings with all buckets in Redis. */
    public function onRedis(): self
    {
        return new self(
            $this->path,
            ['store' => 'redis'] + $this->config,
            array_map(
                static fn (mixed $options): mixed => is_array($options) ? ['store' => 'redis'] + $options : $options,
                $this->declared,
            ),
        );
    }

    /** Returns the same settings for a fake, which accepts every event. */
    public function unsampled(): self
    {
        return new self(
            $this->path,
            [...$this->config, 'enabled' => true],
            array_map(
                static fn (mixed $options): mixed
                    => is_array($options) ? array_diff_key($options, ['sample' => 1]) : $options,
                $this->declared,
            ),
        );
    }

    /**
     * Returns the same settings with durability `power` for those of these buckets that do not set it. For a process
     * that syncs the events of many clients at once, and so can afford to wait for the disk.
     *
     * @param list<string> $buckets
     */
    public function withPowerByDefault(array $buckets): self
    {
        $declared = $this->declared;

        foreach ($buckets as $bucket) {
            $options = $declared[$bucket] ?? [];
            $declared[$bucket] = is_array($options) ? $options + ['durability' => Durability::Power->value] : $options;
        }

        return new self($this->path, ['buckets' => $declared] + $this->config, $declared);
    }

    /**
     * Returns the configuration that fromArray() needs to write to these buckets. It contains no secret of a sink.
     *
     * @param list<string> $buckets
     * @return array<array-key, mixed>
     */
    public function forWriting(array $buckets): array
    {
        $declared = [];

        foreach ($buckets as $bucket) {
            $options = $this->declared[$bucket] ?? null;
            $declared[$bucket] = is_array($options)
                ? array_intersect_key($options, ['max_bytes' => 1, 'durability' => 1])
                : [];
        }

        return ['path' => $this->path, 'buckets' => $declared, 'segment_bytes' => $this->segmentBytes()]
            + array_intersect_key(
                $this->config,
                ['dir_mode' => 1, 'file_mode' => 1, 'min_free_bytes' => 1, 'allow_network_filesystem' => 1],
            );
    }

    /** @return int<1, max> */
    public function segmentBytes(): int
    {
        return ($this->config['segment_bytes'] ?? null) === self::KEYS['segment_bytes']['default']
            ? self::KEYS['segment_bytes']['default']
            : $this->whole()->segmentBytes();
    }

    /** Whether autoflush is on. SpoolConfig::autoflush() returns the seconds. */
    public function isAutoflushed(): bool
    {
        return ! in_array($this->config['autoflush'] ?? false, [false, 0, '0'], true);
    }

    /**
     * Whether the events of the bucket wait in Redis and not on this machine's disk.
     *
     * @throws InvalidConfig
     */
    public function isOnRedis(string $bucket): bool
    {
        $options = $this->declared[$bucket] ?? null;
        $store = is_array($options) && isset($options['store']) ? $options['store'] : $this->config['store'] ?? 'file';

        return match ($store) {
            'file' => false,
            'redis' => true,
            default => throw InvalidConfig::notAllowed(
                is_array($options) && isset($options['store']) ? "spool.buckets.{$bucket}.store" : 'spool.store',
                $store,
                'one of file, redis',
            ),
        };
    }

    /**
     * Whether isUndeclared(), isBypassed(), utf8() and filter() would all find nothing. One check instead of four saves
     * each request time: docs/adr/0005.
     */
    public function isPlain(string $bucket): bool
    {
        /** @var array<array-key, mixed> $options may have another type, for which isset() is false */
        $options = $this->declared[$bucket] ?? [];

        return ! (isset($options['utf8']) || isset($options['sample']) || isset($options['redact']))
            && ($this->config['enabled'] ?? true) === true
            && (isset($this->declared[$bucket]) || $this->declared === []);
    }

    /** Whether other buckets are declared and this one is not. Its name may be mistyped. */
    public function isUndeclared(string $bucket): bool
    {
        return $this->declared !== [] && ! array_key_exists($bucket, $this->declared);
    }

    /** Whether the buffer is off and the bucket has a sink that takes its events directly. */
    public function isBypassed(string $bucket): bool
    {
        return is_array($this->declared[$bucket] ?? null)
            && isset($this->declared[$bucket]['sink'])
            && ! $this->whole()->enabled();
    }

    /**
     * @return ?EventFilter null when the bucket sets neither `sample` nor `redact`
     *
     * @throws InvalidConfig
     */
    public function filter(string $bucket): ?EventFilter
    {
        $options = $this->declared[$bucket] ?? null;

        return is_array($options) && (isset($options['sample']) || isset($options['redact']))
            ? EventFilter::of(
                "spool.buckets.{$bucket}",
                $options['sample'] ?? null,
                $options['redact'] ?? null,
                is_string($utf8 = $options['utf8'] ?? null) ? Utf8::tryFrom($utf8) ?? Utf8::Replace : Utf8::Replace,
            )
            : null;
    }

    /**
     * Returns the same redaction for a process that shows events. Those that were stored before the setting have their
     * secrets.
     *
     * @return ?Redaction null when the bucket does not set `redact`
     *
     * @throws InvalidConfig
     */
    public function redaction(string $bucket): ?Redaction
    {
        $options = $this->declared[$bucket] ?? null;

        return is_array($options) && isset($options['redact'])
            ? Redaction::of("spool.buckets.{$bucket}.redact", $options['redact'], Utf8::Replace)
            : null;
    }

    /**
     * Refuses buckets with `sample` or `redact` for a process that stores events as clients sent them, without
     * Bucket::add(). Otherwise a secret that `redact` names would reach the disk.
     *
     * @param list<string> $buckets
     *
     * @throws InvalidConfig
     */
    public function refuseFilters(array $buckets): void
    {
        foreach ($buckets as $bucket) {
            $key = $this->filter($bucket)?->alters();

            if ($key !== null) {
                throw InvalidConfig::notAllowed(
                    "spool.buckets.{$bucket}.{$key}",
                    is_array($this->declared[$bucket] ?? null) ? $this->declared[$bucket][$key] ?? null : null,
                    'left out in a bucket that accepts events over HTTP, because it stores them as they were sent.'
                        .' Add events that must be redacted or sampled to another bucket with add()',
                );
            }
        }
    }

    /** @return ?int bytes; null when the bucket sets no limit */
    public function maxBytes(string $bucket): ?int
    {
        $options = $this->declared[$bucket] ?? null;

        return match (true) {
            ! is_array($options) => null,
            // BucketConfig refuses the old name. Without this call the bucket would have no limit.
            isset($options['quota']) => $this->whole()->bucket($bucket)?->maxBytes,
            // Reads only this option, because a request needs none of the bucket's sink.
            isset($options['max_bytes']) => (new ConfigReader($options, "spool.buckets.{$bucket}"))
                ->int('max_bytes', ...BucketConfig::KEYS['max_bytes']),
            default => null,
        };
    }

    /** @return ?Utf8 null when the bucket does not set it */
    public function utf8(string $bucket): ?Utf8
    {
        $options = $this->declared[$bucket] ?? null;

        return is_array($options) && isset($options['utf8']) ? $this->whole()->bucket($bucket)?->utf8 : null;
    }

    /**
     * Whether each append must be synced before it returns. The other levels of durability need nothing from a request.
     *
     * @throws InvalidConfig
     */
    public function isPower(string $bucket): bool
    {
        $options = $this->declared[$bucket] ?? null;

        return is_array($options) && match ($options['durability'] ?? 'process') {
            'process', 'interval' => false,
            default => $this->whole()->bucket($bucket)?->durability === Durability::Power,
        };
    }
}
