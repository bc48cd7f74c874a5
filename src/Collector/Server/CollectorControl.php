<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use Headroom\Core\Clock;

/**
 * The running collector, seen from another process.
 *
 * @internal
 */
final readonly class CollectorControl
{
    private const NAP_MICROS = 100_000;

    public function __construct(private StateDirectory $home, private Clock $clock) {}

    /**
     * @return array<array-key, mixed>
     *
     * @throws UnableToServe
     */
    public function status(): array
    {
        $this->pid();

        return $this->home->read('status');
    }

    /**
     * Returns when all processes are new ones.
     *
     * @return string 'done', or why not
     *
     * @throws UnableToServe
     */
    public function reload(float $seconds): string
    {
        $before = $this->status()['reloads'] ?? 0;
        $this->signal(SIGUSR2);

        for ($left = $seconds; $left > 0; $left -= self::NAP_MICROS / 1_000_000) {
            $this->clock->sleep(self::NAP_MICROS);
            $now = $this->status();

            if (($now['reloads'] ?? 0) !== $before && is_string($now['reload'] ?? null)) {
                return $now['reload'];
            }
        }

        return "it goes on; it was not done within {$seconds} s";
    }

    /**
     * @return bool whether it has ended within the time
     *
     * @throws UnableToServe
     */
    public function stop(float $seconds): bool
    {
        $this->signal(SIGTERM);

        for ($left = $seconds; $left > 0; $left -= self::NAP_MICROS / 1_000_000) {
            if (! $this->home->isOccupied()) {
                return true;
            }

            $this->clock->sleep(self::NAP_MICROS);
        }

        return false;
    }

    /** @throws UnableToServe */
    private function pid(): int
    {
        $isOccupied = $this->home->isOccupied();
        $pid = $this->home->pid();

        if (! $isOccupied) {
            throw UnableToServe::notRunning($this->home->root);
        }

        return $pid ?? throw UnableToServe::notNamed($this->home->path);
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
