<?php

declare(strict_types=1);

namespace Headroom\Doctor\Logs\ErrorLog;

use Headroom\Doctor\Logs\LogReader;
use Headroom\Doctor\Logs\LogSummary;
use Headroom\Doctor\Logs\TimeRange;
use Headroom\Doctor\Logs\UnparsedLines;

/**
 * What error logs say, by kind, in memory that does not grow with them.
 *
 * @internal
 */
final class ErrorLogSummary implements LogSummary
{
    /** Further lines of an entry of several lines. */
    public int $continued = 0;

    /** PHP-FPM writes those of its access log between, where both go to one place. */
    public int $accessLines = 0;

    public readonly UnparsedLines $unread;

    public readonly NginxMessages $messages;

    /** @var array<string, KindSummary> by code */
    public array $kinds = [];

    public function __construct()
    {
        $this->unread = new UnparsedLines;
        $this->messages = new NginxMessages;
    }

    public function reader(): LogReader
    {
        return new ErrorLogReader($this);
    }

    public function of(ErrorKind $kind): KindSummary
    {
        return $this->kinds[$kind->code()] ??= new KindSummary($kind);
    }

    public function entries(): int
    {
        return array_sum(array_column($this->kinds, 'count'));
    }

    public function foreign(): int
    {
        return $this->unread->lines();
    }

    public function span(): TimeRange
    {
        $span = new TimeRange;

        foreach (array_column($this->kinds, 'span') as $one) {
            if ($one->first !== null && $one->last !== null) {
                $span->add($one->first);
                $span->add($one->last);
            }
        }

        return $span;
    }

    /** @return list<KindSummary> faults before notices, the most frequent first */
    public function ranking(): array
    {
        $kinds = array_values($this->kinds);
        usort(
            $kinds,
            static fn (KindSummary $a, KindSummary $b): int => [$b->kind->next() !== '', $b->count, $a->kind->code()]
                <=> [$a->kind->next() !== '', $a->count, $b->kind->code()],
        );

        return $kinds;
    }
}
