<?php

declare(strict_types=1);

namespace Headroom\Spool;

use function count;
use function is_array;

/**
 * @internal
 */
final class DurableBuffer implements Buffer
{
    private const DEFAULT_BUCKET = 'default';

    /** @var array<string, DurableBucket> */
    private array $buckets = [];

    public function __construct(private readonly Writer $writer, private readonly SpoolConfig $config) {}

    public function buffer(array $event, ?string $bucket = null): void
    {
        $row = $event['payload'] ?? null;

        $this->bucket($bucket ?? self::DEFAULT_BUCKET)->add(is_array($row) && count($event) === 1 ? $row : $event);
    }

    public function bucket(string $name): Bucket
    {
        return $this->buckets[$name] ??= new DurableBucket(
            SpoolConfig::bucketName($name),
            $this->writer,
            new Codec($this->config->utf8($name)),
        );
    }

    public function hold(callable $work): mixed
    {
        $this->writer->keep();

        try {
            return $work();
        } finally {
            $this->writer->release();
        }
    }
}
