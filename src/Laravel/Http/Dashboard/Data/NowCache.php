<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard\Data;

use Closure;
use Headroom\Core\Clock;
use Headroom\Laravel\Http\Dashboard\JsonResponse;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Support\AtomicFile;
use Headroom\Support\FileOperation;
use Headroom\Support\RegularFile;
use Illuminate\Contracts\Foundation\Application;

/**
 * Keeps the last computed numbers in a file, so that fifty open pages cost one computation. The cache of the
 * application is not used, because it may be in a database.
 *
 * @internal
 */
final readonly class NowCache
{
    private const MIN_MICROS = 1_000_000;

    /** Computing takes at most a tenth of the time of one process. */
    private const FACTOR = 10;

    /** Older numbers are computed again, although another process is computing them. */
    private const STALE_MICROS = 30_000_000;

    private const MAX_BYTES = 67_108_864;

    /** @param string $path of the file; where it cannot be written, each request computes the numbers */
    public function __construct(private string $path, private Clock $clock) {}

    /** @return string the NowDocument of this application as JSON */
    public static function of(Application $app, SpoolServices $spool): string
    {
        return (new self($app->storagePath(NowDocument::CACHE), $spool->clock()))->get(
            $spool->config()->path,
            static fn (): string => JsonResponse::encode((new NowDocument($spool))->toArray()),
        );
    }

    /**
     * @param string $key what the numbers are of
     * @param Closure(): string $compute
     */
    public function get(string $key, Closure $compute): string
    {
        [$body, $age, $duration] = $this->read($key);

        if ($body !== null && $age <= max(self::MIN_MICROS, self::FACTOR * $duration)) {
            return $body;
        }

        $lock = RegularFile::open("{$this->path}.lock", 'ce', permissions: 0600);
        $isOwner = $lock !== false && flock($lock, LOCK_EX | LOCK_NB);

        try {
            return ! $isOwner && $body !== null && $age <= max(self::STALE_MICROS, 2 * self::FACTOR * $duration)
                ? $body
                : $this->computed($key, $compute);
        } finally {
            $lock === false || fclose($lock);
        }
    }

    /** Called when an action has changed the numbers. */
    public function forget(): void
    {
        @unlink($this->path);
    }

    /** @param Closure(): string $compute */
    private function computed(string $key, Closure $compute): string
    {
        $start = $this->clock->monotonicNanos();
        $body = $compute();
        $head = json_encode([
            'key' => $key,
            'at' => $this->clock->micros(),
            'micros' => intdiv($this->clock->monotonicNanos() - $start, 1000),
            'crc' => crc32($body),
        ], JSON_THROW_ON_ERROR);
        FileOperation::run(fn (): bool => AtomicFile::replace($this->path, "{$head}\n{$body}", 0600));

        return $body;
    }

    /** @return array{?string, int, int} body, its age and the duration of its computation in microseconds */
    private function read(string $key): array
    {
        [$head, $body] = [...explode("\n", (string) RegularFile::read($this->path, self::MAX_BYTES), 2), '', ''];
        $values = json_decode($head, true);
        $values = is_array($values) ? $values : [];
        [$at, $micros] = [$values['at'] ?? null, $values['micros'] ?? null];
        $age = is_int($at) ? $this->clock->micros() - $at : -1;

        // Numbers from the future were computed before the clock was set back.
        return is_int($micros)
                && $age >= 0
                && ($values['key'] ?? null) === $key
                && ($values['crc'] ?? null) === crc32($body)
            ? [$body, $age, $micros]
            : [null, 0, 0];
    }
}
