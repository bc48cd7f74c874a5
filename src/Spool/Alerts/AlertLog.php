<?php

declare(strict_types=1);

namespace Headroom\Spool\Alerts;

use Closure;
use Headroom\Core\Clock;
use Headroom\Support\PhpRestrictions;
use Headroom\Support\TerminalText;
use Psr\Log\LoggerInterface;
use Throwable;

/**
 * Logs why a message was not sent, once an hour and channel. The scheduler discards the output of the check.
 *
 * @internal
 */
final readonly class AlertLog
{
    /** @param Closure(): LoggerInterface $logger */
    public function __construct(private Closure $logger, private Clock $clock) {}

    /** @return ChannelRecord with the time of the line */
    public function note(ChannelRecord $record, string $line): ChannelRecord
    {
        $now = intdiv($this->clock->micros(), 1_000_000);

        if (! $record->isLogDue($now)) {
            return $record;
        }

        $this->write($line);

        return $record->logged($now);
    }

    public function write(string $line): void
    {
        $line = TerminalText::line("spool: {$line}");

        try {
            ($this->logger)()->error($line);
        } catch (Throwable $e) {
            PhpRestrictions::call(
                'error_log',
                TerminalText::line("{$line} (The application's log failed: {$e->getMessage()})"),
            );
        }
    }
}
