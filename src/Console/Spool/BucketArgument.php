<?php

declare(strict_types=1);

namespace Headroom\Console\Spool;

use Headroom\Spool\Durability;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Support\InvalidConfig;
use Symfony\Component\Console\Exception\InvalidArgumentException;

/**
 * Buckets as they are named on a command line. A name that was mistyped must not pass for one that has nothing to do.
 *
 * @internal
 */
final readonly class BucketArgument
{
    public function __construct(private SpoolServices $spool) {}

    /**
     * @param list<string> $asked
     * @return list<string> those, each once; all that are declared when none is asked for
     *
     * @throws InvalidArgumentException
     */
    public function declared(array $asked): array
    {
        $declared = $this->spool->config()->names();

        foreach ($asked as $name) {
            if (! in_array($name, $declared, true)) {
                throw new InvalidArgumentException("Bucket '{$name}' is not declared under spool.buckets, so nothing says where its events go. Declared: ".($declared === [] ? 'none' : implode(', ', $declared)).'.');
            }
        }

        return $asked === [] ? $declared : array_values(array_unique($asked));
    }

    /**
     * Those that have a sink; a callback of the application's own takes the others' events.
     *
     * @param list<string> $asked
     * @param bool $andSynced also those that only a worker puts on disk in time
     * @return list<string> as declared()
     *
     * @throws InvalidArgumentException
     */
    public function withSink(array $asked, bool $andSynced = false): array
    {
        $declared = $this->declared($asked);
        $others = array_filter($declared, fn (string $name): bool => $this->hasNoSink($name, $andSynced));

        foreach (array_intersect($asked, $others) as $name) {
            throw new InvalidArgumentException("Bucket '{$name}' has no sink under spool.buckets: FileSystemBuffer::flush() or RedisBuffer::flush() with a callback of the application's delivers it.");
        }

        return array_values(array_diff($declared, $others));
    }

    /** Why withSink() has none. */
    public function noneWithSink(): string
    {
        return $this->declared([]) === []
            ? 'No bucket is declared under spool.buckets'
            : 'No bucket under spool.buckets has a sink (callbacks handed to FileSystemBuffer::flush() deliver them)';
    }

    private function hasNoSink(string $name, bool $unlessSynced): bool
    {
        try {
            $bucket = $this->spool->config()->bucket($name);
        } catch (InvalidConfig) {
            return false; // whoever goes on tells
        }

        return $bucket !== null
            && $bucket->hasNoSink()
            && ! ($unlessSynced && $bucket->durability === Durability::Interval);
    }

    /**
     * @return list<string> the one that is asked for, if it is declared or was ever written to;
     *     all of these when none is
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
            "Bucket '{$asked}' is neither declared under spool.buckets nor was it ever written to. Known: "
                .($known === [] ? 'none' : implode(', ', $known)).'.'
        );
    }
}
