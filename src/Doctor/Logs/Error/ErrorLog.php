<?php

declare(strict_types=1);

namespace Headroom\Doctor\Logs\Error;

use Headroom\Host\Log\Months;

/**
 * Reads error logs of nginx, of PHP-FPM and of PHP, line by line; each line tells whose it is, so they may be mixed.
 *
 * @internal
 */
final class ErrorLog
{
    private readonly NginxMessages $messages;

    /** What the last line began, when that may go on over further lines. */
    private ?KindSummary $open = null;

    /** Of the last line of FPM, as it stands there and as it is told. */
    private string $fpmTime = '';

    private string $time = '';

    private string $day = '';

    private string $isoDay = '';

    public function __construct(private readonly ErrorLogSummary $summary)
    {
        $this->messages = new NginxMessages;
    }

    /** @param iterable<string> $lines of one file, without their ends */
    public function read(iterable $lines): void
    {
        foreach ($lines as $line) {
            if ($line !== '' && ! ($line[0] === '[' ? $this->fpm($line) : $this->nginx($line))) {
                $this->other($line);
            }
        }
    }

    /** Of a file: what its last line began does not go on in the next one. */
    public function end(): void
    {
        $this->open = null;
    }

    private function nginx(string $text): bool
    {
        $line = NginxLine::parse($text);

        if ($line === null) {
            return false;
        }

        $kind = $this->messages->kind($line->message, $line->level);
        $summary = $this->summary->kinds[$kind->value] ?? $this->summary->of($kind);
        $summary->add($line->time, $line->level, $line->server, $line->upstream, $line->uri);
        $this->open = $kind === NginxError::PhpMessage ? $summary : null;

        return true;
    }

    private function fpm(string $text): bool
    {
        $line = FpmLine::parse($text);

        // Many lines are of one second.
        if ($line === null || ($line->time !== $this->fpmTime && ! $this->isTime($line->time))) {
            return false;
        }

        $kind = $line->kind();
        $summary = $this->summary->kinds[$kind->value] ?? $this->summary->of($kind);
        $summary->add($this->time, $line->level, $line->pool, null, $kind === FpmError::Slow || $kind === FpmError::Terminated ? $line->uri() : null);
        $this->open = $line->level === 'php' || $kind === FpmError::Output ? $summary : null;

        return true;
    }

    private function other(string $line): void
    {
        if ($this->open === null) {
            $this->summary->unread->add($line);

            return;
        }

        $this->summary->continued++;
        $context = NginxLine::contextOf($line);

        // nginx ends a message of several lines with who had asked for what.
        if ($context !== null) {
            $this->open->isFrom($context->server, $context->upstream, $context->uri);
            $this->open = null;
        }
    }

    /** @param string $time "28-Nov-2020 16:38:30" */
    private function isTime(string $time): bool
    {
        [$day, $clock] = explode(' ', $time);

        if ($day !== $this->day) {
            $iso = Months::day($day);

            if ($iso === null) {
                return false;
            }

            [$this->day, $this->isoDay] = [$day, $iso];
        }

        [$this->fpmTime, $this->time] = [$time, "{$this->isoDay} {$clock}"];

        return true;
    }
}
