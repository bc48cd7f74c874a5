<?php

declare(strict_types=1);

namespace Headroom\Doctor\Logs\ErrorLog;

use Headroom\Doctor\Logs\LogReader;
use Headroom\Host\Log\Months;

/**
 * Reads error logs of nginx, of PHP-FPM and of PHP, line by line; each line tells whose it is, so they may be mixed.
 *
 * @internal
 */
final class ErrorLogReader implements LogReader
{
    /** Children whose last message may go on. */
    private const MOST_CHILDREN = 1_024;

    private readonly NginxMessages $messages;

    /** What the last line began, when that may go on over further lines. */
    private ?KindSummary $open = null;

    private ?string $openTime = null;

    /** PHP's message has its end, and nothing but a stack trace may follow. */
    private bool $isEnded = false;

    /** @var array<int, true> by pid: children whose last message has not ended */
    private array $saying = [];

    /** Of the last line of FPM, as it stands there and as it is told. */
    private string $fpmTime = '';

    private string $time = '';

    private string $day = '';

    private string $isoDay = '';

    public function __construct(private readonly ErrorLogSummary $summary)
    {
        $this->messages = $summary->messages;
    }

    /** @param iterable<string> $lines of one file, without their ends */
    public function read(iterable $lines, ?string $time = null): void
    {
        foreach ($lines as $line) {
            if ($line !== '' && ! ($line[0] === '[' ? $this->fpm($line) : $this->nginx($line))) {
                $this->other($line, $time);
            }
        }
    }

    /** Of a file: what its last line began does not go on in the next one. */
    public function end(bool $isCut = false): void
    {
        [$this->open, $this->saying] = [null, []];
    }

    private function nginx(string $text): bool
    {
        $line = NginxLine::parse($text);

        if ($line === null) {
            return false;
        }

        $kind = $this->messages->kind($line->message, $line->level);
        $summary = $this->summary->kinds[$kind->code()] ?? $this->summary->of($kind);
        $summary->add($line->time, $line->level, $line->server, $line->upstream, $line->uri);

        if ($summary->isDetailed) {
            $summary->detail($this->messages->detail($line->message, $kind));
        }

        $this->open = null;

        // A message of several lines has the client and the request in its last one.
        if ($line->client === null && NginxMessages::isOfPhp($line->message)) {
            [$this->open, $this->openTime, $this->isEnded] = [$summary, $line->time, false];
        }

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

        if ($kind === FpmError::Output && ($said = $line->said()) !== null) {
            $this->said($line, ...$said);

            return true;
        }

        $summary = $this->summary->kinds[$kind->value] ?? $this->summary->of($kind);
        $isOfRequest = $kind === FpmError::Slow || $kind === FpmError::Terminated;
        $summary->add($this->time, $line->level, $line->pool, null, $isOfRequest ? $line->uri() : null);
        $this->open = null;

        if ($line->level === UndecoratedLine::PHP) {
            $php = PhpMessage::parse($line->message);
            $summary->detail($php?->place);
            [$this->open, $this->openTime, $this->isEnded] = [$summary, $this->time, $php->isWhole ?? false];
        }

        return true;
    }

    /** FPM writes each line of a child's output as one of its own. */
    private function said(FpmLine $line, int $child, string $text): void
    {
        $bare = UndecoratedLine::parse($text);
        $this->open = null;

        if (PhpMessage::isTrace($text) || ($bare === null && isset($this->saying[$child]))) {
            $this->summary->continued++;

            if (PhpMessage::endsIn($text)) {
                unset($this->saying[$child]);
            }

            return;
        }

        $summary = $this->summary->of($bare->kind ?? FpmError::Output);
        $summary->add($this->time, $line->level, $line->pool, null, null);
        $summary->detail($bare?->php?->place);
        unset($this->saying[$child]);

        if ($bare?->php?->isWhole === false) {
            $this->saying = count($this->saying) < self::MOST_CHILDREN ? $this->saying : [];
            $this->saying[$child] = true;
        }
    }

    private function other(string $line, ?string $time): void
    {
        if ($this->open !== null && PhpMessage::isTrace($line)) {
            $this->goOn($line);

            return;
        }

        if (UndecoratedLine::isAccess($line)) {
            $this->summary->accessLines++;

            return;
        }

        $bare = UndecoratedLine::parse($line);

        if ($bare !== null) {
            $summary = $this->summary->of($bare->kind);
            $time = $bare->time ?? ($this->open === null ? $time : $this->openTime);
            $summary->add($time, $bare->level, $bare->pool, null, null);
            $summary->detail($bare->php?->place);
            $this->open = $bare->php === null ? null : $summary;
            [$this->openTime, $this->isEnded] = [$time, $bare->php->isWhole ?? false];

            return;
        }

        if ($this->open === null || $this->isEnded || UndecoratedLine::beginsWithDate($line)) {
            $this->open = null;
            $this->summary->unread->add($line);

            return;
        }

        $this->goOn($line);
    }

    private function goOn(string $line): void
    {
        $this->summary->continued++;
        $this->isEnded = $this->isEnded || PhpMessage::endsIn($line);
        $context = NginxLine::contextOf($line);

        // nginx ends a message of several lines with who had asked for what.
        if ($context !== null) {
            $this->open?->isFrom($context->server, $context->upstream, $context->uri);
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
