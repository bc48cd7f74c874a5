<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Headroom\Core\InvalidConfig;
use Headroom\Core\Options;

/**
 * config/spool.php, read once and checked.
 */
final readonly class SpoolConfig
{
    private const KEYS = ['path', 'dir_mode', 'file_mode', 'segment_bytes', 'completed_ttl', 'schedule', 'allow_network_filesystem', 'buckets'];

    /**
     * @param string $path root of the buffer on a local filesystem
     * @param int $directoryMode mode bits
     * @param int $fileMode mode bits
     * @param int<1, max> $segmentBytes
     * @param int<0, max> $completedTtl seconds
     * @param bool $allowNetworkFilesystem true: a path on NFS, SMB or FUSE is a note of the health check, no failure
     * @param array<array-key, BucketConfig> $buckets by name; PHP makes an integer of a key such as '2024'
     */
    private function __construct(
        public string $path,
        public int $directoryMode,
        public int $fileMode,
        public int $segmentBytes,
        public int $completedTtl,
        public bool $schedule,
        public bool $allowNetworkFilesystem,
        public array $buckets,
    ) {}

    /**
     * @param array<array-key, mixed> $config
     *
     * @throws InvalidConfig
     */
    public static function fromArray(array $config): self
    {
        $options = (new Options($config, 'spool'))->only(self::KEYS);
        $declared = $options->section('buckets');
        $buckets = [];

        foreach ($declared->keys() as $name) {
            if (! BucketName::isValid($name)) {
                throw InvalidConfig::notAllowed("spool.buckets.{$name}", $name, "named with 1 to 64 of a-z, 0-9, '.', '_', '-', beginning with a letter or digit");
            }

            $buckets[$name] = BucketConfig::fromOptions($name, $declared->section($name));
        }

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
            $buckets,
        );
    }

    /** @return list<string> */
    public function names(): array
    {
        return array_map(strval(...), array_keys($this->buckets));
    }

    public function bucket(string $name): ?BucketConfig
    {
        return $this->buckets[$name] ?? null;
    }
}
