<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues;

/**
 * A file of stamps for each worker.
 *
 * @internal
 */
final readonly class StampFiles
{
    /** @param int<1, max> $workers */
    public function __construct(private string $directory, private int $workers) {}

    public static function path(string $directory, int $worker): string
    {
        return "{$directory}/stamps-{$worker}";
    }

    /** Costs no more than a look at their sizes: workers need the CPUs. */
    public function count(): int
    {
        $bytes = 0;

        for ($worker = 1; $worker <= $this->workers; $worker++) {
            $path = self::path($this->directory, $worker);
            clearstatcache(true, $path);
            $bytes += is_file($path) ? (int) filesize($path) : 0;
        }

        return intdiv($bytes, Stamp::BYTES);
    }

    /** @return list<Stamp> */
    public function read(): array
    {
        $stamps = [];

        for ($worker = 1; $worker <= $this->workers; $worker++) {
            $path = self::path($this->directory, $worker);
            array_push($stamps, ...(is_file($path) ? Stamp::decodeAll((string) file_get_contents($path)) : []));
        }

        return $stamps;
    }
}
