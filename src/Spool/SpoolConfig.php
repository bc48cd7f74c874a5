<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Headroom\Core\InvalidConfig;
use Headroom\Core\Options;

/**
 * config/spool.php, read once and checked. A bucket's settings are read when the bucket is asked for: a request pays for
 * the one it uses, and a mistake in another one's is none of its business.
 */
final class SpoolConfig
{
    private const KEYS = ['path', 'dir_mode', 'file_mode', 'segment_bytes', 'completed_ttl', 'schedule', 'allow_network_filesystem', 'buckets'];

    /** @var array<array-key, ?BucketConfig> by name; PHP makes an integer of a key such as '2024' */
    private array $read = [];

    /**
     * @param string $path root of the buffer on a local filesystem
     * @param int $directoryMode mode bits
     * @param int $fileMode mode bits
     * @param int<1, max> $segmentBytes
     * @param int<0, max> $completedTtl seconds
     * @param bool $allowNetworkFilesystem true: a path on NFS, SMB or FUSE is a note of the health check, no failure
     */
    private function __construct(
        public readonly string $path,
        public readonly int $directoryMode,
        public readonly int $fileMode,
        public readonly int $segmentBytes,
        public readonly int $completedTtl,
        public readonly bool $schedule,
        public readonly bool $allowNetworkFilesystem,
        private readonly Options $declared,
    ) {}

    /**
     * @param array<array-key, mixed> $config
     *
     * @throws InvalidConfig
     */
    public static function fromArray(array $config): self
    {
        $options = (new Options($config, 'spool'))->only(self::KEYS);
        $path = $options->string('path');

        if ($path[0] !== '/') {
            throw InvalidConfig::notAllowed('spool.path', $path, 'an absolute path');
        }

        return new self(
            rtrim($path, '/'),
            $options->mode('dir_mode', 0700, 03777, 0700),
            $options->mode('file_mode', 0600, 0666, 0600),
            $options->int('segment_bytes', 65_536, 1_073_741_824, 33_554_432),
            $options->int('completed_ttl', 0, 31_536_000, 3600),
            $options->bool('schedule', true),
            $options->bool('allow_network_filesystem', false),
            $options->section('buckets'),
        );
    }

    /** @return list<string> */
    public function names(): array
    {
        return $this->declared->keys();
    }

    /**
     * @return ?BucketConfig null when it is not declared
     *
     * @throws InvalidConfig
     */
    public function bucket(string $name): ?BucketConfig
    {
        if (! array_key_exists($name, $this->read)) {
            $this->read[$name] = $this->declared->has($name) ? $this->read($name) : null;
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
        return BucketName::isValid($name)
            ? BucketConfig::fromOptions($name, $this->declared->section($name))
            : throw InvalidConfig::notAllowed("spool.buckets.{$name}", $name, "named with 1 to 64 of a-z, 0-9, '.', '_', '-', beginning with a letter or digit");
    }
}
