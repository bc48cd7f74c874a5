<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use Headroom\Core\Clock;

/**
 * Controls the running collector from another process.
 *
 * @internal
 */
final readonly class CollectorControl
{
    private const POLL_MICROS = 100_000;

    public function __construct(private StateDirectory $directory, private Clock $clock) {}

    /**
     * @return array<array-key, mixed>
     *
     * @throws UnableToServe
     */
    public function status(): array
    {
        $this->pid();

        return $this->directory->read('status');
    }

    /**
     * Returns when all processes are replaced.
     *
     * @return string 'done', or why the reload did not finish
     *
     * @throws UnableToServe
     */
    public function reload(float $seconds): string
    {
        $before = $this->status()['reloads'] ?? 0;
        $this->signal(SIGUSR2);

        for ($left = $seconds; $left > 0; $left -= self::POLL_MICROS / 1_000_000) {
            $this->clock->sleep(self::POLL_MICROS);
            $now = $this->status();

            if (($now['reloads'] ?? 0) !== $before && is_string($now['reload'] ?? null)) {
                return $now['reload'];
            }
        }

        return "it did not finish within {$seconds} s and continues";
    }

    /**
     * @return bool whether it has ended in time
     *
     * @throws UnableToServe
     */
    public function stop(float $seconds): bool
    {
        $this->signal(SIGTERM);

        for ($left = $seconds; $left > 0; $left -= self::POLL_MICROS / 1_000_000) {
            if (! $this->directory->isLocked()) {
                return true;
            }

            $this->clock->sleep(self::POLL_MICROS);
        }

        return false;
    }

    /** @throws UnableToServe */
    private function pid(): int
    {
        $isLocked = $this->directory->isLocked();
        $pid = $this->directory->pid();

        if (! $isLocked) {
            throw UnableToServe::notRunning($this->directory->root);
        }

        return $pid ?? throw UnableToServe::notNamed($this->directory->path);
    }

    /** @throws UnableToServe */
    private function signal(int $signal): void
    {
        $pid = $this->pid();

        if (! posix_kill($pid, $signal)) {
            throw UnableToServe::notSignalled($pid, posix_strerror(posix_get_last_error()));
        }
    }
}
