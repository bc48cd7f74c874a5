<?php

declare(strict_types=1);

namespace Headroom\Console\Spool;

use Headroom\Spool\Durability;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Support\InvalidConfig;
use Symfony\Component\Console\Exception\InvalidArgumentException;

/**
 * Reads bucket names from the command line. A mistyped name is an error; it must not look like a bucket that has
 * nothing to do.
 *
 * @internal
 */
final readonly class BucketArgument
{
    public function __construct(private SpoolServices $spool) {}

    /**
     * @param list<string> $asked
     * @return list<string> each asked name once; all declared buckets if none is asked for
     *
     * @throws InvalidArgumentException
     */
    public function declared(array $asked): array
    {
        $declared = $this->spool->config()->names();

        foreach ($asked as $name) {
            if (! in_array($name, $declared, true)) {
                throw new InvalidArgumentException(
                    "Bucket '{$name}' is not declared under spool.buckets, so its events have no sink. Declared: "
                        .($declared === [] ? 'none' : implode(', ', $declared)).'.',
                );
            }
        }

        return $asked === [] ? $declared : array_values(array_unique($asked));
    }

    /**
     * Leaves out buckets without a sink, which the application flushes with a callback.
     *
     * @param list<string> $asked
     * @param bool $andSynced also buckets with durability "interval": a worker syncs their files to disk
     * @return list<string>
     *
     * @throws InvalidArgumentException
     */
    public function withSink(array $asked, bool $andSynced = false): array
    {
        $declared = $this->declared($asked);
        $others = array_filter($declared, fn (string $name): bool => $this->hasNoSink($name, $andSynced));

        foreach (array_intersect($asked, $others) as $name) {
            throw new InvalidArgumentException(
                "Bucket '{$name}' has no sink under spool.buckets. Your application delivers it with "
                    .'FileSystemBuffer::flush() or RedisBuffer::flush() and a callback.',
            );
        }

        return array_values(array_diff($declared, $others));
    }

    /** Why withSink() returns no bucket. */
    public function noneWithSink(): string
    {
        return $this->declared([]) === []
            ? 'No bucket is declared under spool.buckets'
            : 'No bucket under spool.buckets has a sink (your application delivers them with '
                .'FileSystemBuffer::flush() and a callback)';
    }

    private function hasNoSink(string $name, bool $unlessSynced): bool
    {
        try {
            $bucket = $this->spool->config()->bucket($name);
        } catch (InvalidConfig) {
            return false; // The flush reports the mistake.
        }

        return $bucket !== null
            && $bucket->hasNoSink()
            && ! ($unlessSynced && $bucket->durability === Durability::Interval);
    }

    /**
     * @return list<string> the asked bucket, if it is declared or was ever written to; all such buckets if none is
     *     asked for
     *
     * @throws InvalidArgumentException
     */
    public function known(mixed $asked): array
    {
        $known = array_values(array_unique([...$this->spool->config()->names(), ...$this->spool->stores()->buckets()]));
        sort($known);

        if (! is_string($asked)) {
            return $known;
        }

        return in_array($asked, $known, true) ? [$asked] : throw new InvalidArgumentException(
            "Bucket '{$asked}' is not declared under spool.buckets, and was never written to. Known: "
                .($known === [] ? 'none' : implode(', ', $known)).'.'
        );
    }
}
