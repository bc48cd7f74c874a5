<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Headroom\Core\Checkpoint;
use Headroom\Core\HeadroomException;
use Headroom\Spool\UnableToAppend;
use RuntimeException;

/**
 * The kernel writes only a part where RLIMIT_FSIZE ends: a short write as a full disk makes it, and no privilege needed.
 */
final readonly class CrampedWriter
{
    public function __construct(private World $world, private Checkpoint $checkpoint) {}

    /**
     * Appends the first id, fails with the second, and appends the rest.
     *
     * @param list<string> $arguments "kept" or "opened", then ids
     * @return array<string, mixed>
     */
    public function append(array $arguments): array
    {
        $store = $this->world->store($this->checkpoint);
        $ids = array_slice($arguments, 1);

        if ($arguments[0] === 'kept') {
            $store->keep();
            $this->world->append(['scope'], store: $store);
        }

        $this->world->append([$ids[0]], store: $store);
        $slot = $store->layout('events')->active.'/u'.posix_geteuid().'-0000.log';
        $before = $this->size($slot);
        $this->limit($before + 40);
        $failure = $this->failureOf(fn () => $this->world->append([$ids[1]], store: $store));
        $after = $this->size($slot);
        $this->limit(null);
        $this->world->append(array_slice($ids, 2), store: $store);
        $store->release();

        return ['before' => $before, 'after' => $after, 'failure' => $failure];
    }

    /**
     * Seals, so that the state is written, with room for a part of that block only.
     *
     * @return array<string, mixed>
     */
    public function writeState(int $bytes): array
    {
        $this->limit($bytes);
        $report = $this->world->flusher($this->checkpoint)->flush('events');
        $this->limit(null);

        return ['failure' => $report->failure?->getMessage()];
    }

    /** @param callable(): void $work */
    private function failureOf(callable $work): ?string
    {
        try {
            $work();
        } catch (HeadroomException $e) {
            return $e instanceof UnableToAppend ? $e->getMessage() : $e::class;
        }

        return null;
    }

    private function limit(?int $bytes): void
    {
        pcntl_signal(SIGXFSZ, SIG_IGN);

        if (! posix_setrlimit(POSIX_RLIMIT_FSIZE, $bytes ?? POSIX_RLIMIT_INFINITY, POSIX_RLIMIT_INFINITY)) {
            throw new RuntimeException('RLIMIT_FSIZE can not be set.');
        }
    }

    private function size(string $path): int
    {
        clearstatcache();

        return (int) filesize($path);
    }
}
