<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Headroom\Core\InvalidConfig;
use Headroom\Core\Options;

use function array_key_exists;
use function rtrim;

/**
 * config/spool.php, read once and checked. A bucket's settings are read when the bucket is asked for: a request pays for
 * the one it uses, and a mistake in another one's is none of its business.
 */
final class SpoolConfig
{
    private const KEYS = ['path', 'dir_mode', 'file_mode', 'segment_bytes', 'completed_ttl', 'schedule', 'allow_network_filesystem', 'buckets'];

    /** @var array<array-key, ?BucketConfig> by name; PHP makes an integer of a key such as '2024' */
    private array $read = [];

    /** @param string $path root of the buffer on a local filesystem */
    private function __construct(public readonly string $path, private readonly Options $options, private readonly Options $declared) {}

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

        return new self(rtrim($path, '/'), $options, $options->section('buckets'));
    }

    /** @throws InvalidConfig */
    public function check(): void
    {
        $this->directoryMode();
        $this->fileMode();
        $this->segmentBytes();
        $this->completedTtl();
        $this->schedule();
        $this->allowNetworkFilesystem();
    }

    /** @return int mode bits */
    public function directoryMode(): int
    {
        return $this->options->mode('dir_mode', 0700, 03777, 0700);
    }

    /** @return int mode bits */
    public function fileMode(): int
    {
        return $this->options->mode('file_mode', 0600, 0666, 0600);
    }

    /** @return int<1, max> */
    public function segmentBytes(): int
    {
        return $this->options->int('segment_bytes', 65_536, 1_073_741_824, 33_554_432);
    }

    /** @return int<0, max> seconds */
    public function completedTtl(): int
    {
        return $this->options->int('completed_ttl', 0, 31_536_000, 3600);
    }

    public function schedule(): bool
    {
        return $this->options->bool('schedule', true);
    }

    /** True: a path on NFS, SMB or FUSE is a note of the health check, no failure. */
    public function allowNetworkFilesystem(): bool
    {
        return $this->options->bool('allow_network_filesystem', false);
    }

    /** @return ?Utf8 null unless the bucket says something about it */
    public function utf8(string $bucket): ?Utf8
    {
        return $this->declared->sets($bucket, 'utf8') ? $this->bucket($bucket)?->utf8 : null;
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
