<?php

declare(strict_types=1);

namespace Headroom\Load\Replay;

use Generator;
use Headroom\Host\AccessLog\AccessLogReader;
use Headroom\Host\AccessLog\Unparsed;
use Headroom\Host\Log\Likeness;
use Headroom\Host\Log\LogFile;
use Headroom\Host\Log\LogLines;
use Headroom\Host\Log\UnableToReadLog;
use Headroom\Load\DueTimes;
use Headroom\Load\InvalidPlan;
use Headroom\Load\ReplayedLog;
use Headroom\Load\Request;
use Headroom\Load\RequestSource;
use Headroom\Load\Target;
use SplMinHeap;

/**
 * The requests of an access log against another address. Logs know seconds only: the requests of one are spread over
 * it. They are not quite in order either, since a line is written when its answer ends: each goes among the next ten
 * thousand to its place.
 *
 * @internal
 */
final class LogRequests implements DueTimes, RequestSource
{
    private const AHEAD = 10_000;

    /** Others change something, and their bodies are in no log. */
    private const SENT = ['GET', 'HEAD'];

    /** Any other word is rubbish that somebody sent, and there is no end of such words. */
    private const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT', 'TRACE', 'PROPFIND'];

    private readonly ReplayedLog $log;

    /** @var SplMinHeap<array{int, int, non-empty-string, string}> Unix time, place in the log, method, path */
    private SplMinHeap $ahead;

    private readonly Spool $second;

    /** When the second began, in seconds from the first of all. */
    private int $since = 0;

    /** @var Generator<int, array{int, int, non-empty-string, string}> */
    private readonly Generator $entries;

    private ?int $first = null;

    private float $last = 0.0;

    private int $position = -1;

    /** @var ?array{float, non-empty-string, string} */
    private ?array $current = null;

    /** @var array<int, array{float, non-empty-string, string}> the last two whose times were wanted, by number */
    private array $asked = [];

    /**
     * @param float $speed how many seconds of the log pass in one
     * @param ?float $seconds nothing begins after so many
     * @param list<string> $headers of each request
     */
    private function __construct(
        LogFile $file,
        private readonly string $base,
        private readonly float $speed,
        private readonly ?float $seconds,
        private readonly array $headers,
    ) {
        $this->log = new ReplayedLog;
        $this->ahead = new SplMinHeap;
        $this->second = new Spool;
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
            throw InvalidPlan::log($source->log->trouble ?? self::empty($path, $source->log->lines));
        }

        return $source;
    }

    private static function empty(string $path, int $lines): string
    {
        return "{$path} has no GET or HEAD request that could be sent again, in {$lines} lines."
            .Likeness::insteadOfAccessLog($path)
            .' Name an access log of nginx or Apache in the common or combined format.';
    }

    public function secondsUntil(int $number): ?float
    {
        $entry = $this->isAt($number) ? $this->current : null;

        if ($entry === null || $entry[0] / $this->speed > ($this->seconds ?? PHP_FLOAT_MAX)) {
            return null;
        }

        // The time of the next one is wanted before the one that is due is sent; of any before that nobody will ask.
        $this->asked = array_slice($this->asked, -1, null, true) + [$number => $entry];

        return $entry[0] / $this->speed;
    }

    public function seconds(): float
    {
        return $this->seconds ?? INF;
    }

    public function next(int $number): ?Request
    {
        $entry = $this->asked[$number] ?? ($this->isAt($number) ? $this->current : null);

        return $entry === null ? null : new Request($this->base.$entry[2], $entry[1], null, $this->headers);
    }

    public function log(): ReplayedLog
    {
        return $this->log;
    }

    private function isAt(int $number): bool
    {
        for (; $this->position < $number; $this->position++) {
            if ($this->second->isEmpty()) {
                $this->takeSecond();
            }

            $entry = $this->second->take();

            if ($entry === null) {
                $this->current = null;

                return false;
            }

            [$share, $method, $path] = $entry;
            // What comes too late to be put into its place comes next.
            $this->last = max($this->last, $this->since + $share);
            $this->current = [$this->last, $method, $path];
        }

        return $this->current !== null;
    }

    private function takeSecond(): void
    {
        $this->readAhead();

        if ($this->ahead->isEmpty()) {
            return;
        }

        $time = $this->ahead->top()[0];
        $this->since = $time - ($this->first ??= $time);

        try {
            while (! $this->ahead->isEmpty() && $this->ahead->top()[0] === $time) {
                [, , $method, $path] = $this->ahead->extract();
                $this->second->add($method, $path);
                $this->readAhead();
            }
        } catch (UnableToReadLog $e) {
            $this->log->trouble = $e->getMessage();
            $this->ahead = new SplMinHeap;
        }
    }

    private function readAhead(): void
    {
        for (; $this->log->trouble === null
            && $this->ahead->count() < self::AHEAD
            && $this->entries->valid(); $this->entries->next()) {
            $this->ahead->insert($this->entries->current());
        }
    }

    /** @return Generator<int, array{int, int, non-empty-string, string}> */
    private function entries(LogFile $file): Generator
    {
        try {
            foreach ((new AccessLogReader)->entries(LogLines::of($file->chunks())->texts()) as $entry) {
                $this->log->lines++;

                if ($entry instanceof Unparsed) {
                    $this->log->couldNotRead($entry->reason->words());
                } elseif ($entry->method === null || $entry->target === null) {
                    $this->log->leaveOut('no request');
                } elseif (! in_array($entry->method, self::SENT, true)) {
                    $this->log->leaveOut(
                        in_array($entry->method, self::METHODS, true) ? $entry->method : 'other methods',
                    );
                } elseif (! str_starts_with($entry->target, '/')) {
                    $this->log->leaveOut('no path');
                } else {
                    yield [$entry->time, $this->log->requests++, $entry->method, Target::encoded($entry->target)];
                }
            }
        } catch (UnableToReadLog $e) {
            $this->log->trouble = $e->getMessage();
        }
    }
}
