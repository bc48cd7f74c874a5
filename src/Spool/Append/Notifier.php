<?php

declare(strict_types=1);

namespace Headroom\Spool\Append;

use Closure;
use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Support\PhpRestrictions;
use Headroom\Support\TerminalText;
use Psr\Log\LoggerInterface;
use Psr\Log\NullLogger;
use Throwable;

/**
 * The log and the event dispatcher of the application. A listener that throws is logged and changes nothing for the
 * caller.
 *
 * @internal
 */
final class Notifier
{
    /** A listener that fails with each batch must not fill the disk. */
    private const LOG_NANOS = 60_000_000_000;

    /** @var array<class-string, true> events whose listeners run at this moment */
    private array $running = [];

    /** @var array<class-string, array{int, int}> when a failure was logged last, and failures since that */
    private array $failures = [];

    /**
     * @param ?Closure(): LoggerInterface $logger needed because the scheduler discards the output of a flush
     * @param ?Closure(object): void $dispatch calls the application's listeners; null if there is no dispatcher
     * @param ?Closure(class-string): bool $hasListeners null means that every event has one
     */
    public function __construct(
        private readonly ?Closure $logger = null,
        private readonly ?Closure $dispatch = null,
        private readonly ?Closure $hasListeners = null,
        private readonly Clock $clock = new SystemClock,
    ) {}

    /** False without an application, as in the collector of the program headroom. */
    public function hasLogger(): bool
    {
        return $this->logger !== null;
    }

    public function logger(): LoggerInterface
    {
        return $this->logger === null ? new NullLogger : ($this->logger)();
    }

    /**
     * False also while listeners of the same event run. A listener of FlushFailed that flushes would otherwise be
     * called without end.
     *
     * @param class-string $event
     */
    public function listens(string $event): bool
    {
        try {
            return $this->dispatch !== null
                && ! isset($this->running[$event])
                && ($this->hasListeners === null || ($this->hasListeners)($event));
        } catch (Throwable $e) {
            $this->logFailure($event, $e);

            return false;
        }
    }

    /** Never throws. */
    public function notify(object $event): void
    {
        if ($this->dispatch === null || ! $this->listens($event::class)) {
            return;
        }

        $this->running[$event::class] = true;

        try {
            ($this->dispatch)($event);
        } catch (Throwable $e) {
            $this->logFailure($event::class, $e);
        } finally {
            unset($this->running[$event::class]);
        }
    }

    /** @param class-string $event */
    private function logFailure(string $event, Throwable $failure): void
    {
        $now = $this->clock->monotonicNanos();
        [$last, $count] = $this->failures[$event] ?? [null, 0];

        if ($last !== null && $now - $last < self::LOG_NANOS) {
            $this->failures[$event] = [$last, $count + 1];

            return;
        }

        $this->failures[$event] = [$now, 0];
        $message = TerminalText::line(
            "spool: a listener for {$event} failed: ".$failure::class.": {$failure->getMessage()}"
                .($count > 0
                    ? " Listeners for this event have failed {$count} more times since the last log line."
                    : ''),
        );

        try {
            $this->logger()->error($message, ['exception' => $failure]);
        } catch (Throwable $e) {
            PhpRestrictions::call(
                'error_log',
                TerminalText::line("{$message} (The application's log failed: {$e->getMessage()})"),
            );
        }
    }

    /** A copy without the dispatcher: a failure in another machine's buffer must not call this machine's listeners. */
    public function onlyLogger(): self
    {
        return new self($this->logger);
    }
}
