<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Run;

/**
 * A file of records for each worker.
 *
 * @internal
 */
final readonly class JobRecordFiles
{
    /** @param int<1, max> $workers */
    public function __construct(private string $directory, private int $workers) {}

    public static function path(string $directory, int $worker): string
    {
        return "{$directory}/records-{$worker}";
    }

    /** The jobs that a worker has started: their ids, four bytes each. */
    public static function begunPath(string $directory, int $worker): string
    {
        return "{$directory}/begun-{$worker}";
    }

    /** Reads file sizes only, because the workers need the CPUs. */
    public function count(): int
    {
        $bytes = 0;

        for ($worker = 1; $worker <= $this->workers; $worker++) {
            $path = self::path($this->directory, $worker);
            clearstatcache(true, $path);
            $bytes += is_file($path) ? (int) filesize($path) : 0;
        }

        return intdiv($bytes, JobRecord::BYTES);
    }

    /** @return list<JobRecord> */
    public function read(): array
    {
        $records = [];

        for ($worker = 1; $worker <= $this->workers; $worker++) {
            array_push($records, ...JobRecord::decodeAll(self::bytes(self::path($this->directory, $worker))));
        }

        return $records;
    }

    /** @return list<int> ids of the jobs that started, once for each start */
    public function begun(): array
    {
        $ids = [];

        for ($worker = 1; $worker <= $this->workers; $worker++) {
            $bytes = self::bytes(self::begunPath($this->directory, $worker));
            /** @var list<int> $read */
            $read = array_values((array) unpack('V*', substr($bytes, 0, intdiv(strlen($bytes), 4) * 4)));
            array_push($ids, ...$read);
        }

        return $ids;
    }

    private static function bytes(string $path): string
    {
        return is_file($path) ? (string) file_get_contents($path) : '';
    }
}
