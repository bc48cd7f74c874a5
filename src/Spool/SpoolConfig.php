<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Headroom\Core\InvalidConfig;
use Headroom\Core\Options;

use function array_diff_key;
use function array_key_exists;
use function array_keys;
use function in_array;
use function is_array;
use function is_string;
use function preg_match;
use function rtrim;

/**
 * config/spool.php. What a request needs is checked by the request: it pays for nothing else, and a mistake elsewhere is
 * none of its business. check() and buckets() look at all of it.
 */
final class SpoolConfig
{
    private const KEYS = ['path' => 1, 'dir_mode' => 1, 'file_mode' => 1, 'segment_bytes' => 1, 'completed_ttl' => 1, 'schedule' => 1, 'allow_network_filesystem' => 1, 'reserve' => 1, 'enabled' => 1, 'heartbeats' => 1, 'autoflush' => 1, 'store' => 1, 'redis' => 1, 'buckets' => 1];

    private const SEGMENT_BYTES = 33_554_432;

    /** @var array<array-key, ?BucketConfig> by name; PHP makes an integer of a key such as '2024' */
    private array $read = [];

    private ?Options $options = null;

    /**
     * @param string $path root of the buffer on a local filesystem
     * @param array<array-key, mixed> $config
     * @param array<array-key, mixed> $declared buckets by name
     */
    private function __construct(public readonly string $path, private readonly array $config, private readonly array $declared) {}

    /**
     * @param array<array-key, mixed> $config
     *
     * @throws InvalidConfig
     */
    public static function fromArray(array $config): self
    {
        $path = $config['path'] ?? null;
        $buckets = $config['buckets'] ?? [];

        // Options has the words for everything else, and a request in which all is well does without them.
        if (! is_string($path) || ($path[0] ?? '') !== '/' || ! is_array($buckets) || array_diff_key($config, self::KEYS) !== []) {
            throw self::refusal(new Options($config, 'spool'));
        }

        $read = new self(rtrim($path, '/'), $config, $buckets);

        // Only who makes a file needs them, and that must not fail now and then.
        if (($config['dir_mode'] ?? 0700) !== 0700 || ($config['file_mode'] ?? 0600) !== 0600) {
            $read->directoryMode();
            $read->fileMode();
        }

        return $read;
    }

    /**
     * The same settings for a buffer in another place.
     *
     * @internal
     */
    public function at(string $path): self
    {
        return new self(rtrim($path, '/'), $this->config, $this->declared);
    }

    /**
     * The same with this bucket, declared or not.
     *
     * @internal
     */
    public function with(BucketConfig $bucket): self
    {
        $copy = clone $this;
        $copy->read[$bucket->name] = $bucket;

        return $copy;
    }

    /**
     * The same with all buckets in Redis.
     *
     * @internal
     */
    public function onRedis(): self
    {
        return new self($this->path, ['store' => 'redis'] + $this->config, array_map(static fn (mixed $options): mixed => is_array($options) ? ['store' => 'redis'] + $options : $options, $this->declared));
    }

    private static function refusal(Options $options): InvalidConfig
    {
        $path = $options->only(array_keys(self::KEYS))->string('path');
        $options->section('buckets');

        return InvalidConfig::notAllowed('spool.path', $path, 'an absolute path');
    }

    private function options(): Options
    {
        return $this->options ??= new Options($this->config, 'spool');
    }

    /**
     * The name becomes a directory, so nothing that could leave its parent may pass.
     *
     * @internal
     */
    public static function isBucketName(string $name): bool
    {
        return preg_match('/\A[a-z0-9][a-z0-9._-]{0,63}\z/', $name) === 1;
    }

    /**
     * @internal
     *
     * @throws InvalidBucket
     */
    public static function bucketName(string $name): string
    {
        return self::isBucketName($name) ? $name : throw InvalidBucket::name($name);
    }

    /**
     * @internal
     *
     * @throws InvalidConfig
     */
    public function check(): void
    {
        $this->directoryMode();
        $this->fileMode();
        $this->segmentBytes();
        $this->completedTtl();
        $this->schedule();
        $this->allowNetworkFilesystem();
        $this->reserve();
        $this->enabled();
        $this->heartbeats();
        $this->autoflush();
        $this->options()->oneOf('store', ['file', 'redis'], 'file');
        $this->redis();
    }

    /**
     * Whether its events wait in Redis; elsewhere it is this machine's disk.
     *
     * @internal
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
            default => throw InvalidConfig::notAllowed(is_array($options) && isset($options['store']) ? "spool.buckets.{$bucket}.store" : 'spool.store', $store, 'one of file, redis'),
        };
    }

    /**
     * Nothing says that it is on disk but the default, so that RedisBuffer may put it into Redis.
     *
     * @internal
     */
    public function leavesStoreOpen(string $bucket): bool
    {
        $options = $this->declared[$bucket] ?? [];

        return is_array($options) && ! isset($options['sink']) && ! isset($options['store']);
    }

    /** @throws InvalidConfig */
    public function redis(): RedisSettings
    {
        return RedisSettings::fromOptions($this->options()->section('redis'));
    }

    /** @return int mode bits */
    public function directoryMode(): int
    {
        return $this->options()->mode('dir_mode', 0700, 03777, 0700);
    }

    /** @return int mode bits */
    public function fileMode(): int
    {
        return $this->options()->mode('file_mode', 0600, 0666, 0600);
    }

    /** @return int<1, max> */
    public function segmentBytes(): int
    {
        return ($this->config['segment_bytes'] ?? null) === self::SEGMENT_BYTES
            ? self::SEGMENT_BYTES
            : $this->options()->int('segment_bytes', 65_536, 1_073_741_824, self::SEGMENT_BYTES);
    }

    /** @return int<0, max> seconds */
    public function completedTtl(): int
    {
        return $this->options()->int('completed_ttl', 0, 31_536_000, 3600);
    }

    public function schedule(): bool
    {
        return $this->options()->bool('schedule', true);
    }

    /** True: a path on NFS, SMB or FUSE is a note of the health check, no failure. */
    public function allowNetworkFilesystem(): bool
    {
        return $this->options()->bool('allow_network_filesystem', false);
    }

    /** @return int<0, max> bytes of free disk that are left alone */
    public function reserve(): int
    {
        return $this->options()->int('reserve', 0, 1_125_899_906_842_624, 67_108_864);
    }

    /** False: events go straight to their sinks, within the call. PHPUnit makes an empty variable of <env value="false"/>. */
    public function enabled(): bool
    {
        return ($this->config['enabled'] ?? true) !== '' && $this->options()->bool('enabled', true);
    }

    /**
     * Nothing that isBypassed(), utf8() and intake() would have to look for: one question instead of three, docs/adr/0005.
     *
     * @internal
     */
    public function isPlain(string $bucket): bool
    {
        /** @var array<array-key, mixed> $options whatever else it is, it has none of these keys */
        $options = $this->declared[$bucket] ?? [];

        return ! (isset($options['utf8']) || isset($options['sample']) || isset($options['redact'])) && ($this->config['enabled'] ?? true) === true;
    }

    /**
     * The buffer is turned off, and the bucket says where else its events go.
     *
     * @internal
     */
    public function isBypassed(string $bucket): bool
    {
        return is_array($this->declared[$bucket] ?? null) && isset($this->declared[$bucket]['sink']) && ! $this->enabled();
    }

    /**
     * The same for a fake, which takes every event.
     *
     * @internal
     */
    public function unsampled(): self
    {
        return new self($this->path, [...$this->config, 'enabled' => true], array_map(static fn (mixed $options): mixed => is_array($options) ? array_diff_key($options, ['sample' => 1]) : $options, $this->declared));
    }

    /**
     * @internal
     *
     * @return ?Intake null unless the bucket says something about it
     *
     * @throws InvalidConfig
     */
    public function intake(string $bucket): ?Intake
    {
        $options = $this->declared[$bucket] ?? null;

        return is_array($options) && (isset($options['sample']) || isset($options['redact']))
            ? Intake::of("spool.buckets.{$bucket}", $options['sample'] ?? null, $options['redact'] ?? null, is_string($utf8 = $options['utf8'] ?? null) ? Utf8::tryFrom($utf8) ?? Utf8::Replace : Utf8::Replace)
            : null;
    }

    /** @return bool|string false: none; the name of a database connection, or true for the default one */
    public function heartbeats(): bool|string
    {
        $seen = $this->options()->any('heartbeats', true);

        return is_string($seen) && ! in_array($seen, ['0', '1'], true) ? $this->options()->string('heartbeats') : $this->options()->bool('heartbeats', true);
    }

    /** @return ?int<1, max> seconds between two flushes after a response, at least; null: none */
    public function autoflush(): ?int
    {
        return $this->isAutoflushed() ? max(1, $this->options()->int('autoflush', 1, 86_400, 30)) : null;
    }

    /**
     * All that a request asks.
     *
     * @internal
     */
    public function isAutoflushed(): bool
    {
        return ! in_array($this->config['autoflush'] ?? false, [false, 0, '0'], true);
    }

    /**
     * @internal
     *
     * @return ?int bytes; null unless the bucket says something about it
     */
    public function quota(string $bucket): ?int
    {
        $options = $this->declared[$bucket] ?? null;

        // Its sink is none of a request's business.
        return is_array($options) && isset($options['quota']) ? BucketConfig::quota($this->options()->section('buckets')->section($bucket)) : null;
    }

    /**
     * @internal
     *
     * @return ?Utf8 null unless the bucket says something about it
     */
    public function utf8(string $bucket): ?Utf8
    {
        $options = $this->declared[$bucket] ?? null;

        return is_array($options) && isset($options['utf8']) ? $this->bucket($bucket)?->utf8 : null;
    }

    /**
     * Each append of the bucket is to be on disk before it returns. The other levels ask nothing of a request.
     *
     * @internal
     *
     * @throws InvalidConfig
     */
    public function isPower(string $bucket): bool
    {
        $options = $this->declared[$bucket] ?? null;

        return is_array($options) && match ($options['durability'] ?? 'process') {
            'process', 'interval' => false,
            default => $this->bucket($bucket)?->durability === Durability::Power,
        };
    }

    /** @return list<string> */
    public function names(): array
    {
        return array_map(strval(...), array_keys($this->declared));
    }

    /**
     * @return ?BucketConfig null when it is not declared
     *
     * @throws InvalidConfig
     */
    public function bucket(string $name): ?BucketConfig
    {
        if (! array_key_exists($name, $this->read)) {
            $this->read[$name] = array_key_exists($name, $this->declared) ? $this->read($name) : null;
        }

        return $this->read[$name];
    }

    /**
     * @return list<BucketConfig>
     *
     * @throws InvalidConfig
     */
    public function buckets(): array
    {
        return array_map($this->read(...), $this->names());
    }

    private function read(string $name): BucketConfig
    {
        if (! self::isBucketName($name)) {
            throw InvalidConfig::notAllowed("spool.buckets.{$name}", $name, "named with 1 to 64 of a-z, 0-9, '.', '_', '-', beginning with a letter or digit");
        }

        $this->intake($name);

        return BucketConfig::fromOptions($name, $this->options()->section('buckets')->section($name));
    }
}
