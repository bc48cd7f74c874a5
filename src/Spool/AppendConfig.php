<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Headroom\Spool\Append\EventFilter;
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
 * What a request asks of config/spool.php. It pays for nothing else, and a mistake elsewhere is none of its business:
 * SpoolConfig reads and checks all of it.
 *
 * @internal
 */
final class AppendConfig
{
    /**
     * All settings of config/spool.php but those of a bucket, each with the arguments of the ConfigReader's method that
     * reads it. They are declared here, since each request looks for unknown keys and loads no further file for it.
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

        // ConfigReader has the words for everything else, and a request in which all is well does without them.
        if (
            ! is_string($path)
            || ($path[0] ?? '') !== '/'
            || ! is_array($buckets)
            || array_diff_key($config, self::KEYS) !== []
        ) {
            throw self::refusal(new ConfigReader($config, 'spool'));
        }

        $read = new self(rtrim($path, '/'), $config, $buckets);

        // Only who makes a file needs them, and that must not fail now and then.
        if (($config['dir_mode'] ?? 0700) !== 0700 || ($config['file_mode'] ?? 0600) !== 0600) {
            $read->whole()->directoryMode();
            $read->whole()->fileMode();
        }

        return $read;
    }

    /**
     * An environment variable with nothing behind it is one that is not set. Kept are the path, which has no default
     * here, and what false means: PHPUnit makes an empty variable of <env name="SPOOL_ENABLED" value="false"/>.
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

    private static function refusal(ConfigReader $options): InvalidConfig
    {
        $path = $options->only(array_keys(self::KEYS), self::RENAMED)->string('path');
        $options->section('buckets');

        return InvalidConfig::notAllowed('spool.path', $path, 'an absolute path');
    }

    /** For what is asked rarely, and for commands; not checked yet. */
    public function whole(): SpoolConfig
    {
        return $this->whole ??= new SpoolConfig($this, $this->config, $this->declared);
    }

    /** The same settings for a buffer in another place. */
    public function at(string $path): self
    {
        return new self(rtrim($path, '/'), $this->config, $this->declared);
    }

    /** The same with all buckets in Redis. */
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

    /** The same for a fake, which takes every event. */
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
     * The same for a process that puts many clients' events on disk at once, and so can wait for it: durability is
     * power in those of these buckets that say nothing about it.
     *
     * @param list<string> $buckets
     */
    public function syncedUnlessSaid(array $buckets): self
    {
        $declared = $this->declared;

        foreach ($buckets as $bucket) {
            $options = $declared[$bucket] ?? [];
            $declared[$bucket] = is_array($options) ? $options + ['durability' => Durability::Power->value] : $options;
        }

        return new self($this->path, ['buckets' => $declared] + $this->config, $declared);
    }

    /**
     * What fromArray() needs to write to these buckets, and no secret of a sink.
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

    /** Whether SpoolConfig::autoflush() says how often: all that a request asks. */
    public function isAutoflushed(): bool
    {
        return ! in_array($this->config['autoflush'] ?? false, [false, 0, '0'], true);
    }

    /**
     * Whether its events wait in Redis; elsewhere it is this machine's disk.
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
     * Nothing that isUndeclared(), isBypassed(), utf8() and intake() would have to look for: one question instead of
     * four, docs/adr/0005.
     */
    public function isPlain(string $bucket): bool
    {
        /** @var array<array-key, mixed> $options whatever else it is, it has none of these keys */
        $options = $this->declared[$bucket] ?? [];

        return ! (isset($options['utf8']) || isset($options['sample']) || isset($options['redact']))
            && ($this->config['enabled'] ?? true) === true
            && (isset($this->declared[$bucket]) || $this->declared === []);
    }

    /** Others are declared and this one is not, so its name may be mistyped. */
    public function isUndeclared(string $bucket): bool
    {
        return $this->declared !== [] && ! array_key_exists($bucket, $this->declared);
    }

    /** The buffer is turned off, and the bucket says where else its events go. */
    public function isBypassed(string $bucket): bool
    {
        return is_array($this->declared[$bucket] ?? null)
            && isset($this->declared[$bucket]['sink'])
            && ! $this->whole()->enabled();
    }

    /**
     * @return ?EventFilter null unless the bucket says something about it
     *
     * @throws InvalidConfig
     */
    public function intake(string $bucket): ?EventFilter
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
     * For who writes events as a client has sent them, which add() never sees: a secret must not get through where
     * somebody has said that it is taken out.
     *
     * @param list<string> $buckets
     *
     * @throws InvalidConfig
     */
    public function refuseToAlter(array $buckets): void
    {
        foreach ($buckets as $bucket) {
            $key = $this->intake($bucket)?->alters();

            if ($key !== null) {
                throw InvalidConfig::notAllowed(
                    "spool.buckets.{$bucket}.{$key}",
                    is_array($this->declared[$bucket] ?? null) ? $this->declared[$bucket][$key] ?? null : null,
                    'left out in a bucket that takes events over HTTP: those are stored as they were sent, and none is left out. What is to be redacted or sampled goes to another bucket, by add()',
                );
            }
        }
    }

    /** @return ?int bytes; null unless the bucket says something about it */
    public function maxBytes(string $bucket): ?int
    {
        $options = $this->declared[$bucket] ?? null;

        return match (true) {
            ! is_array($options) => null,
            // It refuses this: a limit under its old name must not be no limit.
            isset($options['quota']) => $this->whole()->bucket($bucket)?->maxBytes,
            // The bucket's sink is not the request's business.
            isset($options['max_bytes']) => (new ConfigReader($options, "spool.buckets.{$bucket}"))
                ->int('max_bytes', ...BucketConfig::KEYS['max_bytes']),
            default => null,
        };
    }

    /** @return ?Utf8 null unless the bucket says something about it */
    public function utf8(string $bucket): ?Utf8
    {
        $options = $this->declared[$bucket] ?? null;

        return is_array($options) && isset($options['utf8']) ? $this->whole()->bucket($bucket)?->utf8 : null;
    }

    /**
     * Each append of the bucket is to be on disk before it returns. The other levels ask nothing of a request.
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
