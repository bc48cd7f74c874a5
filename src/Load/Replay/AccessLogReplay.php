<?php

declare(strict_types=1);

namespace Headroom\Load\Replay;

use Generator;
use Headroom\Host\AccessLog\AccessLogReader;
use Headroom\Host\AccessLog\Unparsed;
use Headroom\Host\Log\FileType;
use Headroom\Host\Log\LogFile;
use Headroom\Host\Log\LogLines;
use Headroom\Host\Log\UnableToReadLog;
use Headroom\Load\ArrivalTimes;
use Headroom\Load\InvalidPlan;
use Headroom\Load\Metrics\ReplaySummary;
use Headroom\Load\Request;
use Headroom\Load\RequestSource;
use Headroom\Load\Target;
use SplMinHeap;

/**
 * The requests of an access log, sent to another address. The times of a log are whole seconds, so the requests of a
 * second are spread evenly over it. A server writes a line when the response ends, so the lines are not in the order of
 * their times: they are sorted among the next ten thousand.
 *
 * @internal
 */
final class AccessLogReplay implements ArrivalTimes, RequestSource
{
    private const SORTED_LINES = 10_000;

    /** Other methods change data, and a log does not contain their bodies. */
    private const SENT = ['GET', 'HEAD'];

    /** Counted by name. Clients send any number of other words, which are counted together. */
    private const COUNTED_METHODS = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT', 'TRACE', 'PROPFIND'];

    private readonly ReplaySummary $summary;

    /** @var SplMinHeap<array{int, int, non-empty-string, string}> Unix time, place in the log, method, path */
    private SplMinHeap $sorted;

    private readonly SpillFile $second;

    /** The start of the second, in seconds from the first request of the log. */
    private int $secondStart = 0;

    /** @var Generator<int, array{int, int, non-empty-string, string}> */
    private readonly Generator $entries;

    private ?int $first = null;

    private float $last = 0.0;

    private int $position = -1;

    /** @var ?array{float, non-empty-string, string} */
    private ?array $current = null;

    /** @var array<int, array{float, non-empty-string, string}> the last two that secondsUntil() returned, by number */
    private array $returned = [];

    /**
     * @param float $speed seconds of the log in one second of the run
     * @param ?float $seconds the time after which no request starts
     * @param list<string> $headers of each request
     */
    private function __construct(
        LogFile $file,
        private readonly string $base,
        private readonly float $speed,
        private readonly ?float $seconds,
        private readonly array $headers,
    ) {
        $this->summary = new ReplaySummary;
        $this->sorted = new SplMinHeap;
        $this->second = new SpillFile;
        $this->entries = $this->entries($file);
    }

    /**
     * @param list<string> $headers
     *
     * @throws InvalidPlan
     */
    public static function open(string $path, Target $base, float $speed, ?float $seconds, array $headers = []): self
    {
        if (! is_file($path)) {
            throw InvalidPlan::unreadable('replay', $path);
        }

        try {
            $source = new self(LogFile::open($path), $base->base(), $speed, $seconds, $headers);
        } catch (UnableToReadLog $e) {
            throw InvalidPlan::log($e->getMessage());
        }

        if (! $source->isAt(0)) {
            throw InvalidPlan::log($source->summary->trouble ?? self::empty($path, $source->summary->lines));
        }

        return $source;
    }

    private static function empty(string $path, int $lines): string
    {
        return "{$path} has no GET or HEAD request in ".number_format($lines).($lines === 1 ? ' line.' : ' lines.')
            .FileType::insteadOfAccessLog($path)
            .' Name an access log of nginx or Apache in the common or combined format.';
    }

    public function secondsUntil(int $number): ?float
    {
        $entry = $this->isAt($number) ? $this->current : null;

        if ($entry === null || $entry[0] / $this->speed > ($this->seconds ?? PHP_FLOAT_MAX)) {
            return null;
        }

        // The executor asks for the time of the next request before the previous one is sent.
        $this->returned = array_slice($this->returned, -1, null, true) + [$number => $entry];

        return $entry[0] / $this->speed;
    }

    public function seconds(): float
    {
        return $this->seconds ?? INF;
    }

    public function next(int $number): ?Request
    {
        $entry = $this->returned[$number] ?? ($this->isAt($number) ? $this->current : null);

        return $entry === null ? null : new Request($this->base.$entry[2], $entry[1], null, $this->headers);
    }

    public function log(): ReplaySummary
    {
        return $this->summary;
    }

    private function isAt(int $number): bool
    {
        for (; $this->position < $number; $this->position++) {
            if ($this->second->isEmpty()) {
                $this->nextSecond();
            }

            $entry = $this->second->take();

            if ($entry === null) {
                $this->current = null;

                return false;
            }

            [$share, $method, $path] = $entry;
            // A line that is too far out of order is due at once.
            $this->last = max($this->last, $this->secondStart + $share);
            $this->current = [$this->last, $method, $path];
        }

        return $this->current !== null;
    }

    private function nextSecond(): void
    {
        $this->fill();

        if ($this->sorted->isEmpty()) {
            return;
        }

        $time = $this->sorted->top()[0];
        $this->secondStart = $time - ($this->first ??= $time);

        try {
            while (! $this->sorted->isEmpty() && $this->sorted->top()[0] === $time) {
                [, , $method, $path] = $this->sorted->extract();
                $this->second->add($method, $path);
                $this->fill();
            }
        } catch (UnableToReadLog $e) {
            $this->summary->trouble = $e->getMessage();
            $this->sorted = new SplMinHeap;
        }
    }

    private function fill(): void
    {
        for (; $this->summary->trouble === null
            && $this->sorted->count() < self::SORTED_LINES
            && $this->entries->valid(); $this->entries->next()) {
            $this->sorted->insert($this->entries->current());
        }
    }

    /** @return Generator<int, array{int, int, non-empty-string, string}> */
    private function entries(LogFile $file): Generator
    {
        try {
            foreach ((new AccessLogReader)->entries(LogLines::of($file->chunks())->texts()) as $entry) {
                $this->summary->lines++;

                if ($entry instanceof Unparsed) {
                    $this->summary->countUnreadable($entry->reason->words());
                } elseif ($entry->method === null || $entry->target === null) {
                    $this->summary->countLeftOut('no request');
                } elseif (! in_array($entry->method, self::SENT, true)) {
                    $this->summary->countLeftOut(
                        in_array($entry->method, self::COUNTED_METHODS, true) ? $entry->method : 'other methods',
                    );
                } elseif (! str_starts_with($entry->target, '/')) {
                    $this->summary->countLeftOut('no path');
                } else {
                    yield [$entry->time, $this->summary->requests++, $entry->method, Target::encoded($entry->target)];
                }
            }
        } catch (UnableToReadLog $e) {
            $this->summary->trouble = $e->getMessage();
        }
    }
}
