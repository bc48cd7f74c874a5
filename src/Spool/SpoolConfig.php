<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;

/**
 * All settings of config/spool.php. Each is checked when it is read. A request reads only AppendConfig.
 */
final class SpoolConfig
{
    /** Root of the buffer on a local filesystem. */
    public readonly string $path;

    private readonly ConfigReader $options;

    /** @var array<array-key, ?BucketConfig> by name; PHP makes an integer of a key such as '2024' */
    private array $read = [];

    /**
     * @internal
     *
     * @param array<array-key, mixed> $config
     * @param array<array-key, mixed> $declared buckets by name
     */
    public function __construct(
        private readonly AppendConfig $settings,
        private readonly array $config,
        private readonly array $declared,
    ) {
        $this->path = $settings->path;
        $this->options = new ConfigReader($config, 'spool');
    }

    /**
     * @param array<array-key, mixed> $config
     *
     * @throws InvalidConfig
     */
    public static function fromArray(array $config): self
    {
        return AppendConfig::fromArray($config)->whole();
    }

    /**
     * Returns a copy in which this bucket is declared.
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
     * @internal
     *
     * @throws InvalidConfig
     */
    public function check(): void
    {
        $this->directoryMode();
        $this->fileMode();
        $this->segmentBytes();
        $this->retention();
        $this->schedule();
        $this->allowNetworkFilesystem();
        $this->minFreeBytes();
        $this->enabled();
        $this->heartbeats();
        $this->options->bool('health_route', ...AppendConfig::KEYS['health_route']);
        $this->autoflush();
        $this->options->oneOf('store', ...AppendConfig::KEYS['store']);
        $this->redis();

        foreach (($this->config['sinks'] ?? []) === [] ? [] : $this->sinkNames() as $name) {
            $this->options->section('sinks')->section($name)->string('driver');
        }
    }

    /** @throws InvalidConfig */
    public function redis(): RedisConfig
    {
        return RedisConfig::fromOptions($this->options->section('redis')->filled());
    }

    /** @return int mode bits */
    public function directoryMode(): int
    {
        return $this->default('dir_mode') ?? $this->options->mode('dir_mode', ...AppendConfig::KEYS['dir_mode']);
    }

    /** @return int mode bits */
    public function fileMode(): int
    {
        return $this->default('file_mode') ?? $this->options->mode('file_mode', ...AppendConfig::KEYS['file_mode']);
    }

    /** @return int<1, max> */
    public function segmentBytes(): int
    {
        return $this->options->int('segment_bytes', ...AppendConfig::KEYS['segment_bytes']);
    }

    /** @return int<0, max> seconds for which delivered segments are kept */
    public function retention(): int
    {
        return $this->options->int('retention', ...AppendConfig::KEYS['retention']);
    }

    public function schedule(): bool
    {
        return $this->options->bool('schedule', ...AppendConfig::KEYS['schedule']);
    }

    /** True: the health check reports a path on NFS, SMB or FUSE as a note and not as a failure. */
    public function allowNetworkFilesystem(): bool
    {
        return $this->options->bool('allow_network_filesystem', ...AppendConfig::KEYS['allow_network_filesystem']);
    }

    /** @return int<0, max> bytes of the disk that the buffer leaves free */
    public function minFreeBytes(): int
    {
        return $this->default('min_free_bytes')
            ?? $this->options->int('min_free_bytes', ...AppendConfig::KEYS['min_free_bytes']);
    }

    /**
     * False: each call writes its events directly to their sinks. PHPUnit turns <env value="false"/> into an empty
     * variable.
     */
    public function enabled(): bool
    {
        return $this->options->any('enabled', true) !== ''
            && $this->options->bool('enabled', ...AppendConfig::KEYS['enabled']);
    }

    /** @return bool|string a database connection, true for the default one, false for no heartbeats */
    public function heartbeats(): bool|string
    {
        $seen = $this->options->any('heartbeats', true);

        return is_string($seen) && ! in_array($seen, ['0', '1'], true)
            ? $this->options->string('heartbeats')
            : $this->options->bool('heartbeats', ...AppendConfig::KEYS['heartbeats']);
    }

    /** Whether Laravel's health route, /up, fails while nothing delivers events on this machine. */
    public function healthRoute(): bool
    {
        return $this->options->bool('health_route', ...AppendConfig::KEYS['health_route']);
    }

    /** @return ?int<1, max> minimum seconds between two flushes after a response; null when autoflush is off */
    public function autoflush(): ?int
    {
        return $this->settings->isAutoflushed()
            ? $this->options->int('autoflush', ...AppendConfig::KEYS['autoflush'])
            : null;
    }

    /** @internal */
    public function settings(): AppendConfig
    {
        return $this->settings;
    }

    /**
     * @internal
     *
     * @throws InvalidConfig
     */
    public function isOnRedis(string $bucket): bool
    {
        return $this->settings->isOnRedis($bucket);
    }

    /**
     * Whether the bucket has the file store only by default, so that RedisBuffer may use Redis for it.
     *
     * @internal
     */
    public function hasDefaultStore(string $bucket): bool
    {
        $options = $this->declared[$bucket] ?? [];

        return is_array($options) && ! isset($options['sink']) && ! isset($options['store']);
    }

    /** @internal */
    public function maxBytes(string $bucket): ?int
    {
        return $this->settings->maxBytes($bucket);
    }

    /** @return list<string> */
    public function names(): array
    {
        return array_map(strval(...), array_keys($this->declared));
    }

    /**
     * @internal
     *
     * @return list<string>
     */
    public function sinkNames(): array
    {
        return $this->options->section('sinks')->keys();
    }

    /**
     * @return ?BucketConfig null when the bucket is not declared
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
        if (! Bucket::isName($name)) {
            throw InvalidConfig::notAllowed(
                "spool.buckets.{$name}",
                $name,
                "named with 1 to 64 of a-z, 0-9, '.', '_', '-', beginning with a letter or digit",
            );
        }

        $this->settings->filter($name);

        $sinks = ($this->config['sinks'] ?? []) === [] ? null : $this->options->section('sinks');

        return BucketConfig::fromOptions($name, $this->options->section('buckets')->section($name), $sinks);
    }

    /**
     * A shortcut without ConfigReader for settings that a request reads when it begins a segment.
     *
     * @param 'dir_mode'|'file_mode'|'min_free_bytes' $name
     * @return ?int<0, max> the default; null when another value is set
     */
    private function default(string $name): ?int
    {
        $default = AppendConfig::KEYS[$name]['default'];

        return ($this->config[$name] ?? $default) === $default ? $default : null;
    }
}
