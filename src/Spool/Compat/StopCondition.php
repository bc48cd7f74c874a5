<?php

declare(strict_types=1);

namespace Headroom\Spool\Compat;

use Headroom\Core\Clock;
use Headroom\Spool\FileStore\State\RestartFile;
use Headroom\Spool\Services\SpoolServices;

/**
 * Tells a loop in the application's own process when to end: on a signal, on `spool:restart`, or at a time limit. end()
 * restores the signal handlers that were installed before.
 *
 * @internal
 */
final class StopCondition
{
    private bool $isSignalled = false;

    /** @var array<int, callable|int> previous handlers by signal */
    private array $previousHandlers = [];

    private readonly bool $wasAsync;

    private function __construct(
        private readonly Clock $clock,
        private readonly RestartFile $restarts,
        private readonly ?string $stamp,
        private readonly ?int $until,
    ) {
        $this->wasAsync = function_exists('pcntl_async_signals') && pcntl_async_signals(true);

        foreach (function_exists('pcntl_signal') ? [SIGTERM, SIGINT, SIGQUIT] : [] as $signal) {
            $this->previousHandlers[$signal] = pcntl_signal_get_handler($signal);
            pcntl_signal($signal, function (): void {
                $this->isSignalled = true;
            });
        }
    }

    /** @param ?int<1, max> $seconds */
    public static function of(SpoolServices $spool, ?int $seconds): self
    {
        $restarts = $spool->restarts();

        return new self(
            $spool->clock(),
            $restarts,
            $restarts->stamp(),
            $seconds === null ? null : $spool->clock()->monotonicNanos() + $seconds * 1_000_000_000,
        );
    }

    /** @phpstan-impure */
    public function isMet(): bool
    {
        return $this->isSignalled
            || $this->restarts->stamp() !== $this->stamp
            || ($this->until !== null && $this->clock->monotonicNanos() >= $this->until);
    }

    /** @param int<1, max> $micros at most */
    public function sleep(int $micros): void
    {
        $left = $this->until === null
            ? $micros
            : min($micros, intdiv($this->until - $this->clock->monotonicNanos(), 1000));

        if ($left > 0 && ! $this->isMet()) {
            $this->clock->sleep($left);
        }
    }

    public function restoreHandlers(): void
    {
        foreach ($this->previousHandlers as $signal => $handler) {
            pcntl_signal($signal, $handler);
        }

        if (function_exists('pcntl_async_signals')) {
            pcntl_async_signals($this->wasAsync);
        }
    }
}
